"""Surveys of a whole text: plan which records to take, take them page by page, join them, make a table of them."""
