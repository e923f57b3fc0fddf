"""What a survey asks: its plan, the pages' records, the table."""
