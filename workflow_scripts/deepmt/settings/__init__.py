"""Read and check what jobs are told: the settings of a run, and the corpora."""
