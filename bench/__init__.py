"""Benchmark this project against other toolkits: same model, batches, machine and run."""
