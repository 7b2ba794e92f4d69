"""How weights are drawn; functions that end in an underscore fill a model in place."""
