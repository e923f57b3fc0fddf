"""What a graph carries: channels, records, context and settings, errors, words; nothing here opens a library."""
