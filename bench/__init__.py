"""Ours beside the peers: the same model, the same batches, one machine, one run."""
