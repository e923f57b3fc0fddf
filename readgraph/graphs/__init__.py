"""The graphs of the methods, one file each. A graph file only wires nodes."""
