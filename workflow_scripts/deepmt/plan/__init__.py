"""What everything would cost before it runs: jobs, bytes, hours, and what fits; no torch."""
