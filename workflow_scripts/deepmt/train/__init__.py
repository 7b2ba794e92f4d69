"""Training: one update, a whole run, checkpoints, and how a run may end."""
