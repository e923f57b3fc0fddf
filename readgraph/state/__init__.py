"""What is remembered: reading state, records, page store, library, runtime context."""
