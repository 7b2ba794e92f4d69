"""What a run costs before it runs: arithmetic, seconds, memory, disk; standard library alone."""
