"""What a run costs before it runs: arithmetic, seconds, memory, disk; without torch."""
