"""Tables and sentences of README and docs, made from records."""
