"""How steps are wired: one file a method. A graph file only wires."""
