"""What the methods are compared with: the papers' baselines, one file each."""
