"""Records of finished runs, and the cells of the tables that they fill."""
