"""Score translations as the papers do, with signatures."""
