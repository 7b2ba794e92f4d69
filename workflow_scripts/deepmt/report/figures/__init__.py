"""Figures of the papers, drawn from our records: one file a kind, points and finding apart."""
