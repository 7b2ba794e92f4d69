"""Fast forms of equations that `deepmt.model` writes plainly; a test compares each with them."""
