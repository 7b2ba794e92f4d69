"""Scores, significance, probes and speeds."""
