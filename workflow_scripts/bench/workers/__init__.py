"""One program a system; each runs in an environment of its own and speaks bench.protocol."""
