"""One script a rule."""
