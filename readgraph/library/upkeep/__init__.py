"""Looking after a library: forgetting, checking and mending, giving space back, copies, archives of replies."""
