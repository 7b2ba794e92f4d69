"""Which files of this library decide what a stage computes: what `files.code_hash` is taken of."""

TRAINING = ("build.py", "data/batches.py", "init", "nn", "train")
SEARCH = ("build.py", "nn", "search")
