"""Other toolkits that are trained on a run's text by its recipe (bench.quality)."""
