"""What research asks: what to search for, what was found, what is missing."""
