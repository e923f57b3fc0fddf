"""A library on a PostgreSQL server: its store and its checkpointer, imported only where an address names one."""
