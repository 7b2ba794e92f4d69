"""Decode with beam search (`beam.py`) or sampling, in batches and at reduced precision."""
