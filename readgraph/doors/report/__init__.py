"""The reading report: one HTML page that shows an answer, the pages that support it, and how they were found."""
