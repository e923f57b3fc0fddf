"""Search by meaning on this machine: a small embedding model that comes inside packages, without PyTorch."""
