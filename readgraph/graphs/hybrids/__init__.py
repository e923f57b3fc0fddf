"""Methods made from others by swapping nodes, one file each; each file states the purpose."""
