# Which encodings are counted.
from deepmt.results.corpus_statistics import encodings_asked_for


def counted(wildcards):
    """Counts of encodings that are there, or that runs still to be recorded and tables need."""
    if FROM_RECORDS:
        return []
    waiting = [
        spec.encoding
        for run, spec in PLAN.runs.items()
        for s in SEEDS
        if not Path(f"{RESULTS}/runs/{run}/seed{s}/record.json").exists()
    ]
    there = [
        encoding
        for encoding in ENCODINGS
        if Path(f"data/encoded/{encoding}/manifest.json").exists()
    ]
    return expand(
        "data/encoded/{encoding}/words.json",
        encoding=dict.fromkeys(there + waiting + encodings_asked_for(PLAN)),
    )
