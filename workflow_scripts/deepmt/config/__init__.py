"""Read settings, papers, corpora and scales: everything that is decided before a job starts."""
