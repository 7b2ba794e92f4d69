"""Measure scores, significance, untrained models and speed."""
