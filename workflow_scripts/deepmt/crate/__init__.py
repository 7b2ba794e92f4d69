"""Results as one RO-Crate archive: made, verified, and opened in another clone."""
