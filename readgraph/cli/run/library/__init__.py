"""What a library holds: shown, searched, corrected, forgotten, and its files looked after."""
