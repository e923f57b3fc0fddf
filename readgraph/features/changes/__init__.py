"""Two versions or documents are compared: what was added, removed, changed and moved."""
