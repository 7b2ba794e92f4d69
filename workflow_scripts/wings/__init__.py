"""Features that import the core, and that no core file imports."""
