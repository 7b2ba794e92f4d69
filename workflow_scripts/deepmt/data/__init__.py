"""From archives to token ids and batches."""
