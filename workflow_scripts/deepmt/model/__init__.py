"""The equations of the papers, and the one place where they are joined into a model."""
