"""Measurements of models that have not been trained."""
