"""One program per toolkit: it builds the model of a size, trains it and translates with it."""
