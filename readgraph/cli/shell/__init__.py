"""What every command has: help, values that the shell completes, the log."""
