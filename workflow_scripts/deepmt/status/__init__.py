"""Show which runs train, how far they are, and how they ended; reads files only."""
