"""Which files of this library decide what a stage computes: what `files.code_hash` is taken of."""

TRAINING = ("data/batches.py", "init", "model", "train")
SEARCH = ("decode", "model")
