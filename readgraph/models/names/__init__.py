"""What a model's name stands for: an object of the caller's own, or a table of the settings file; limits and prices."""
