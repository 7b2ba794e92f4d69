"""Implement the equations of the papers; `build` joins them into a model."""
