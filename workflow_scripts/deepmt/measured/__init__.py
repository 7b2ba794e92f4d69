"""Read the records of finished runs, and fill the cells of the tables."""
