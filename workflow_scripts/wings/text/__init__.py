"""Turn a user's own text into a corpus and a scale whose runs fit the hours."""
