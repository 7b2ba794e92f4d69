"""Train a model: updates, the loop, checkpoints, divergence and the outcome."""
