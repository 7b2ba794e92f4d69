"""One program a system that translates; it builds the model of `bench.workers`."""
