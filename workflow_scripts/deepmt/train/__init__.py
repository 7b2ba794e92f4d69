"""Training: one update, the loop, checkpoints, and how a run may end."""
