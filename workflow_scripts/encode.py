"""Encode a segmented corpus: write vocabularies, ids, and a manifest."""

from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import run
from deepmt.config.corpora import load_corpora
from deepmt.data.data_settings import load_settings
from deepmt.data.encode_text import Counts, describe, write_encoded
from deepmt.data.lines import split_names
from deepmt.data.subword import count_in
from deepmt.data.vocabulary import build_vocabularies
from deepmt.files import check_listed, write_hashed_json


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write vocab.{language}, ids/ and manifest.json beside the folder's bpe/ and codes."""

    corpora_file: Path
    data: Path
    folder: Path
    threads: int = 1


def main(args: Args) -> None:
    """Encode all splits with vocabularies from the training text."""
    settings = load_settings(args.data)
    corpus = load_corpora(args.corpora_file).corpus(settings.corpus)
    segmented = args.folder / "bpe"
    check_listed(segmented / "done")
    pieces = {
        language: count_in([segmented / f"train.{language}"], args.threads)
        for language in settings.languages
    }
    vocabularies = build_vocabularies(
        pieces,
        min_count=settings.min_count,
        shared=settings.shared_vocabulary,
        largest=settings.max_vocabulary,
    )
    counts: dict[str, dict[str, Counts]] = {}
    for language, vocabulary in vocabularies.items():
        vocabulary.save(args.folder / f"vocab.{language}")
        for name in split_names(segmented, language):
            stem = f"{name}.{language}"
            counts.setdefault(name, {})[language] = write_encoded(
                segmented / stem, vocabulary, args.folder / "ids", stem, args.threads
            )
    write_hashed_json(
        args.folder / "manifest.json", describe(corpus, settings, args.folder, counts, vocabularies)
    )


if __name__ == "__main__":
    run(main, Args)
