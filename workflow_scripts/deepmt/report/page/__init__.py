"""Render self-contained pages: the tables of a paper, and the report over all papers."""
