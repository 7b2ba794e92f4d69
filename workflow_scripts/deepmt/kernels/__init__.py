"""Implement fast forms of equations in `deepmt.model`; tests compare each with its equation."""
