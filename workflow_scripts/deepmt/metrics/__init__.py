"""Scores, probes and speeds."""
