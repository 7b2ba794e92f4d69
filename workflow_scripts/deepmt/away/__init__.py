"""Runs on a machine that has neither Snakemake nor a network, and is lent for minutes."""
