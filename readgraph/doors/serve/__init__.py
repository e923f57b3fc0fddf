"""The reading room: a library in the browser, and the same for programs over HTTP."""
