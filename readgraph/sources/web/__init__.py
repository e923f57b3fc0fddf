"""Web pages with their elements and controls, for those who act on them."""
