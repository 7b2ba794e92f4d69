"""Write the record of a finished seed, with everything about it in one JSON object."""

from pathlib import Path
from typing import Annotated

from deepmt.base.cli import run
from deepmt.data.manifest import Manifest
from deepmt.data.raw_corpus import RawCorpus
from deepmt.measured.recording import record_of
from deepmt.measured.scored import Scored
from deepmt.settings.spec import read_spec
from deepmt.settings.strict import Name, Seed
from deepmt.train.outcome import Outcome


def main(
    *,
    spec: Path,
    outcome: Path,
    manifest: Path,
    scores: Annotated[tuple[Path, ...], "those of milestones lie in folders update<number>"],
    synthetic: Annotated[
        tuple[Path, ...], "counts.json of a corpus with back-translated pairs"
    ] = (),
    scale: Name,
    seed: Seed,
    output: Path,
) -> None:
    """Combine outcome, scores and manifest into record.json.

    Its commit is that of the training.
    """
    made = [RawCorpus(path.parent).counts["synthetic"] for path in synthetic]
    record_of(
        read_spec(spec),
        scale,
        seed,
        ended=Outcome.read(outcome),
        corpus=Manifest.of(manifest.parent),
        scored=[(path.parent.name, Scored.read(path)) for path in scores],
        synthetic=next(iter(made), None),
    ).write(output)


if __name__ == "__main__":
    run(main)
