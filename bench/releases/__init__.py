"""Compare what two sets of releases make of one text, before the newer is pinned."""
