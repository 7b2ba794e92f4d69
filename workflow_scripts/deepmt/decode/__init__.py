"""Decoding: beam search in `beam.py`, then batches, caches, precision, whole texts."""
