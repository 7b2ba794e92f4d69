"""One program a system; each trains in an environment of its own and speaks bench.protocol."""
