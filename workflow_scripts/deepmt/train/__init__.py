"""Train a model: updates, the loop, checkpoints, failures and the outcome."""
