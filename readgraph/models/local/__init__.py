"""Models that run on this machine: their files, their settings, and the server that runs one as a child process."""
