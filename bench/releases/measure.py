"""Write what this environment's releases make of the toy text: `python -m bench.releases.measure`.

Any environment can run it: a probe imports what it tries, and nothing imports `deepmt`.
"""

import json
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from bench.releases.models import translations
from bench.releases.text import Lines, languages, learnt_subwords, learnt_tokenizer, moses, scores
from bench.releases.workflow import jobs

TOY = Path(__file__).parents[2] / "corpora/toy.tar.xz"
PROBES = learnt_subwords, learnt_tokenizer, moses, scores, languages, translations, jobs
Probe = Callable[[Sequence[str], Path], Iterator[tuple[str, Lines]]]


def main(output: Path) -> None:
    """Write the lines of every output by its name."""
    with tarfile.open(TOY) as toy, tempfile.TemporaryDirectory() as folder:
        toy.extract("train1.de", folder, filter="data")
        de = Path(folder, "train1.de").read_text(encoding="utf-8").splitlines()
    found = {name: lines for probe in PROBES for name, lines in outputs(probe, de)}
    output.write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")


def outputs(probe: Probe, de: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield a probe's outputs; the last one is the error that ended it."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            for name, lines in probe(de, Path(folder)):
                yield name, [*map(str, lines)]
        except Exception as error:
            yield f"{probe.__name__} ends", [f"{type(error).__name__}: {error}"]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
