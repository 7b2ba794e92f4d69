"""Gather the distinct lines of text in one language, and sample from them if requested."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import run
from deepmt.config.corpora import load_corpora
from deepmt.data.lines import replacing
from deepmt.data.monolingual import distinct, read_texts
from deepmt.files import sha256, write_hashed_json


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write text.{language} beside counts.json."""

    corpora_file: Path
    text: str
    sources: tuple[Path, ...]  # archives in the order of corpora.yaml, or counts.json of a corpus
    output: Path


def main(args: Args) -> None:
    """Write the lines; a corpus split is read from the folder of the given counts.json."""
    text = load_corpora(args.corpora_file).monolingual[args.text]
    paths = args.sources
    if text.split is not None:
        paths = (args.sources[0].with_name(f"{text.split}.{text.language}"),)
    counts: Counter[str] = Counter(read=0, lines=0)

    def lines() -> Iterator[str]:
        counts["read"] = 0
        for line in read_texts(paths):
            counts["read"] += 1
            yield line

    file = args.output.with_name(f"text.{text.language}")
    with replacing(file) as stream:
        for line in distinct(lines, text.lines, text.seed):
            counts["lines"] += 1
            stream.write(f"{line}\n")
    write_hashed_json(args.output, {**counts, "sha256": {file.name: sha256(file)}})


if __name__ == "__main__":
    run(main, Args)
