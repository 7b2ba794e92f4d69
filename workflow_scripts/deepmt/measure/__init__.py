"""Measure untrained models: sizes, signals, golden values and speed."""
