"""GAM's steps: plan, search, integrate, reflect, answer."""
