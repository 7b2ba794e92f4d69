"""Join a bitext with the pairs that back-translation made, as the raw text of a corpus."""

import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from deepmt.cli import parse
from deepmt.config.corpora import Corpus, load_corpora
from deepmt.config.data_settings import tokenised_sets
from deepmt.config.synthetic import Synthetic
from deepmt.data.back_translation import Filter, Translated, joined
from deepmt.data.lines import pair_lines, read_lines, replacing, split_names
from deepmt.files import sha256, write_json

SHARED = (
    "run", "seed", "spec_sha256", "weights_sha256", "encoding_sha256", "sample", "top_k",
    "precision",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write {set}.{language} for every set, and counts.json with the share and origin of each."""

    corpora_file: Path
    corpus: str
    bitext: Path
    text: Path
    reports: tuple[Path, ...]  # one a shard, in their order, beside translations and lengths
    output: Path


def main(args: Args) -> None:
    """Only the training set grows; all others are those of the bitext."""
    corpus = load_corpora(args.corpora_file).corpus(args.corpus)
    assert corpus.synthetic is not None, "only a corpus with synthetic pairs is joined"
    reverse = made_by(args.reports)
    rule = Filter(max_tokens=corpus.synthetic.max_tokens, max_ratio=corpus.synthetic.max_ratio)
    bitext, pairs = write_training(args, corpus, corpus.synthetic, rule)
    counts = {"train": pairs} | copy_other_sets(args, corpus)
    synthetic = {
        "bitext_pairs": bitext,
        "synthetic_pairs": rule.counts["kept"],
        "dropped": rule.dropped,
        "settings": asdict(corpus.synthetic),
        "reverse": reverse,
    }
    names = [f"{name}.{language}" for name in counts for language in corpus.languages]
    whole = {
        "pairs": counts,
        "tokens": tokenised_sets(args.bitext),
        "synthetic": synthetic,
        "sha256": {name: sha256(args.output.with_name(name)) for name in names},
    }
    write_json(args.output, whole)


def made_by(reports: tuple[Path, ...]) -> dict[str, Any]:
    """The reverse run that made all shards.

    Raises:
        ValueError: they are of different runs or weights.
    """
    made = [{k: v for k, v in json.loads(p.read_text()).items() if k in SHARED} for p in reports]
    for path, found in zip(reports, made, strict=True):
        if found != made[0]:
            raise ValueError(
                f"{path} is of {found}, but {reports[0]} of {made[0]}; delete the older one"
            )
    return made[0]


def write_training(
    args: Args, corpus: Corpus, settings: Synthetic, rule: Filter
) -> tuple[int, int]:
    """The bitext `upsample` times, then every synthetic pair that is kept; pairs of each share."""
    bitext = total = 0
    with ExitStack() as stack:
        files = [
            stack.enter_context(replacing(args.output.with_name(f"train.{language}")))
            for language in corpus.languages
        ]
        for copy in range(settings.upsample):
            for pair in bitext_pairs(args.bitext, corpus):
                bitext += copy == 0
                total += 1
                write(files, pair)
        for found in translated(args):
            if rule.keep(found):
                total += 1
                write(files, (found.source, found.target))
    return bitext, total


def write(files: list[Any], pair: tuple[str, str]) -> None:
    """One line on each side."""
    for file, line in zip(files, pair, strict=True):
        file.write(f"{line}\n")


def bitext_pairs(folder: Path, corpus: Corpus) -> Iterator[tuple[str, str]]:
    """The training pairs that the corpus has from people."""
    source, target = (folder / f"train.{language}" for language in corpus.languages)
    return pair_lines(
        read_lines(source), read_lines(target), source_name=str(source), target_name=str(target)
    )


def translated(args: Args) -> Iterator[Translated]:
    """All lines of the text with their translations, in the order of the text."""
    folders = [path.parent for path in args.reports]
    translations = joined([read_lines(folder / "translation.txt") for folder in folders])
    lengths = joined([iter(np.load(folder / "lengths.npy")) for folder in folders])
    names = {"source_name": f"the shards in {folders[0].parent}", "target_name": str(args.text)}
    pairs = pair_lines(translations, read_lines(args.text), **names)
    for (source, target), (source_tokens, target_tokens) in zip(pairs, lengths, strict=True):
        yield Translated(
            source=source,
            target=target,
            source_tokens=int(source_tokens),
            target_tokens=int(target_tokens),
        )


def copy_other_sets(args: Args, corpus: Corpus) -> dict[str, int]:
    """Dev, test and further sets as they are; pairs of each."""
    counts = {}
    for name in split_names(args.bitext, corpus.source):
        if name == "train":
            continue
        for language in corpus.languages:
            file = f"{name}.{language}"
            with (
                (args.bitext / file).open("rb") as original,
                replacing(args.output.with_name(file), "wb") as copy,
            ):
                shutil.copyfileobj(original, copy)
        counts[name] = sum(1 for _ in read_lines(args.bitext / f"{name}.{corpus.source}"))
    return counts


if __name__ == "__main__":
    main(parse(Args))
