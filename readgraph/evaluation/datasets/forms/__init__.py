"""The forms of datasets: a file for each, with `load`, as its authors publish it."""
