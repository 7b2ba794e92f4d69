"""Figures of the papers, drawn from our results: points, picture and finding apart."""
