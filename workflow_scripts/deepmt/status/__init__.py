"""What runs, what waits, what diverged and for how long yet: read from the files of runs alone."""
