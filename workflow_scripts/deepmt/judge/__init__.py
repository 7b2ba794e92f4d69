"""Turn numbers into verdicts: intervals, corrections, cells, claims, answers, ranking."""
