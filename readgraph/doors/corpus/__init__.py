"""Many documents, read by many workers into one library: processes of this machine, or Ray's."""
