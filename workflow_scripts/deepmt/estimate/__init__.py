"""Estimate parameters, operations, memory and hours of runs before they run."""
