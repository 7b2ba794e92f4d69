"""Gather the distinct lines of text in one language, and sample from them if requested."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from deepmt.base.cli import run
from deepmt.base.files import sha256, write_hashed_json
from deepmt.data.archives import check
from deepmt.data.lines import replacing
from deepmt.data.monolingual import distinct, read_texts
from deepmt.data.raw_corpus import RawCorpus
from deepmt.settings.corpora import load_corpora


def main(
    *,
    corpora_file: Path,
    text: str,
    sources: Annotated[
        tuple[Path, ...], "archives in the order of corpora.yaml, or counts.json of a corpus"
    ],
    output: Path,
) -> None:
    """Write text.{language} beside counts.json; a corpus split lies beside its own counts.json."""
    corpora = load_corpora(corpora_file)
    entry = corpora.text(text)
    paths = sources
    for key, path in zip(entry.archives, paths, strict=False):
        check(corpora.archive(key), path)
    if entry.split is not None:
        paths = (RawCorpus(sources[0].parent).file(entry.split, entry.language),)
    counts: Counter[str] = Counter(read=0, lines=0)

    def lines() -> Iterator[str]:
        counts["read"] = 0
        for line in read_texts(paths):
            counts["read"] += 1
            yield line

    written = output.with_name(f"text.{entry.language}")
    with replacing(written) as stream:
        for line in distinct(lines, entry.lines):
            counts["lines"] += 1
            stream.write(f"{line}\n")
    write_hashed_json(output, counts | {"sha256": {written.name: sha256(written)}})


if __name__ == "__main__":
    run(main)
