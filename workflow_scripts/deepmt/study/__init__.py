"""Read papers, scales and rates, and plan: everything that is decided before a job starts."""
