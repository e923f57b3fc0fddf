"""A library on a PostgreSQL server: imported only where its address names one."""
