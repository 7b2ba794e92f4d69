"""Draw the initial weights; functions that end in an underscore change a model in place."""
