"""The ways to a library from outside: servers, other packages, folders of many files, reports."""
