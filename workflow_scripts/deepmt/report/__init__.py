"""Render tables, figures, claims and the report; needs neither torch nor the network."""
