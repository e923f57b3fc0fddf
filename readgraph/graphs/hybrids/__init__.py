"""Methods made of others by swapping their nodes, one file each; each says what it is to gain."""
