"""The reading report: one HTML page that shows an answer, the pages behind it, and how they were found."""
