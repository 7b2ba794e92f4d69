"""Turn the raw text of a corpus into token ids: tokens, subwords, vocabularies and a manifest."""

from pathlib import Path

from deepmt.base.cli import run
from deepmt.base.errors import UserError
from deepmt.base.files import write_json
from deepmt.data.cleaning import segment_and_clean, tokenise_split
from deepmt.data.dataset import load_settings
from deepmt.data.encode_text import Counts, describe, learned_merges, words_by_split, write_encoded
from deepmt.data.lines import read_lines, split_names
from deepmt.data.raw_corpus import RawCorpus
from deepmt.data.subword import count_in, learn, load_segmenter, segment_file
from deepmt.data.tokeniser import steps_for
from deepmt.data.training_sample import write_sample
from deepmt.data.truecase import truecase_files
from deepmt.data.vocabulary import build_vocabularies
from deepmt.settings.corpora import load_corpora
from deepmt.settings.spec import Data
from deepmt.settings.strict import Few
from deepmt.settings.text_steps import SAMPLE

Cleaning = dict[str, dict[str, int]]
"""Pairs kept and dropped, by split and reason."""


def main(*, corpora_file: Path, data: Path, raw_dir: Path, threads: Few = 1) -> None:
    """Write beside data.json: tok/, bpe/ and ids/ of every split, codes, vocab.{language},
    manifest.json, and words.json, which counts words, merges and dropped pairs.

    Subwords and vocabularies are those of the training text, which alone is cleaned. A sample of
    it is one more split.
    """
    settings, folder = load_settings(data), data.parent
    corpus = load_corpora(corpora_file).corpus(settings.corpus)
    raw = RawCorpus(raw_dir)
    cleaning = tokenise(settings, raw, folder / "tok", threads)
    cleaning |= segment(settings, raw, folder, threads)
    segmented = folder / "bpe"
    pieces = {
        language: count_in([segmented / f"train.{language}"], threads)
        for language in settings.languages
    }
    vocabularies = build_vocabularies(
        pieces,
        min_count=settings.min_count,
        shared=settings.shared_vocabulary,
        largest=settings.max_vocabulary,
        unused=settings.unused_types,
    )
    counts: dict[str, dict[str, Counts]] = {}
    for language, vocabulary in vocabularies.items():
        vocabulary.save(folder / f"vocab.{language}")
        for name in split_names(segmented, language):
            stem = f"{name}.{language}"
            counts.setdefault(name, {})[language] = write_encoded(
                read_lines(segmented / stem), vocabulary, folder / "ids", stem, threads
            )
    found = {
        "words": words_by_split(folder, settings, threads),
        "merges": learned_merges(folder, settings),
        "cleaning": cleaning,
    }
    write_json(folder / "words.json", found)
    manifest = describe(corpus, settings, folder, counts, vocabularies)
    manifest.write(folder / "manifest.json")


def training_tokens(settings: Data, tokens: Path) -> Path:
    """Return the folder of all training tokens, if cleaning counts their subwords."""
    return tokens / "uncleaned" if settings.clean_on == "subwords" else tokens


def tokenise(settings: Data, raw: RawCorpus, tokens: Path, threads: int) -> Cleaning:
    """Write the tokens of every split; clean those of training, unless subwords are counted."""
    counts = {}
    for name in split_names(raw.folder, settings.source):
        folder = tokens if name != "train" else training_tokens(settings, tokens)
        counts[name] = tokenise_split(
            steps_for(settings, name, raw.tokenised),
            {language: raw.file(name, language) for language in settings.languages},
            {language: folder / f"{name}.{language}" for language in settings.languages},
            clean=name == "train" and settings.clean_on == "tokens",
            processes=threads,
        )
    if settings.recase:
        if "train" not in raw.tokenised:
            raise UserError(
                f"data.recase=true needs truecased training text, but corpora.yaml does not list"
                f" train under the tokens of {settings.corpus}"
            )
        for language in settings.languages:
            files = [tokens / f"{n}.{language}" for n in counts if n not in raw.tokenised]
            truecase_files(files, raw.file("train", language))
    return counts


def segment(settings: Data, raw: RawCorpus, folder: Path, threads: int) -> Cleaning:
    """Learn subwords and write those of all splits; clean training pairs if these are counted."""
    tokens, segmented, languages = folder / "tok", folder / "bpe", settings.languages
    training = {x: training_tokens(settings, tokens) / f"train.{x}" for x in languages}
    # Like fairseq's scripts, learn before cleaning, which counts subwords.
    learn(settings, training, folder, threads)
    segmenters = {x: load_segmenter(settings, folder.joinpath, x) for x in languages}
    cutters = list(segmenters.values())
    sampled = write_sample(settings, raw, folder, cutters)
    found = {}
    if settings.clean_on == "subwords":
        kept = [
            place / f"train.{language}" for place in (tokens, segmented) for language in languages
        ]
        found["train"] = segment_and_clean(settings, cutters, training, kept, threads)
    for language, segmenter in segmenters.items():
        for name in split_names(tokens, language):
            if name not in found:
                stem = f"{name}.{language}"
                segment_file(segmenter, tokens / stem, segmented / stem, threads)
    return found | {SAMPLE: sampled}


if __name__ == "__main__":
    run(main)
