"""Learn subwords from the training text, and encode every split: vocabularies, ids, a manifest."""

from pathlib import Path

from deepmt.cli import run
from deepmt.config.corpora import load_corpora
from deepmt.config.spec import Data
from deepmt.data.cleaning import segment_and_clean
from deepmt.data.data_settings import load_settings, uncleaned
from deepmt.data.encode_text import Counts, describe, learned_merges, words_by_split, write_encoded
from deepmt.data.lines import split_names
from deepmt.data.subword import count_in, learn, load_segmenter, segment_file
from deepmt.data.vocabulary import build_vocabularies
from deepmt.files import write_hashed_json, write_json


def main(*, corpora_file: Path, data: Path, tokens: Path, folder: Path, threads: int = 1) -> None:
    """Write codes, vocab.{language}, bpe/ and ids/ of every split, manifest.json and words.json.

    Subwords and vocabularies are those of the training text. With clean_on=subwords, also write
    the tokens of kept training pairs, and bpe/cleaning.json.
    """
    settings = load_settings(data)
    corpus = load_corpora(corpora_file).corpus(settings.corpus)
    segment(settings, tokens, folder, threads)
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
    )
    counts: dict[str, dict[str, Counts]] = {}
    for language, vocabulary in vocabularies.items():
        vocabulary.save(folder / f"vocab.{language}")
        for name in split_names(segmented, language):
            stem = f"{name}.{language}"
            counts.setdefault(name, {})[language] = write_encoded(
                segmented / stem, vocabulary, folder / "ids", stem, threads
            )
    words = words_by_split(folder, settings, threads)
    write_json(folder / "words.json", {"words": words, "merges": learned_merges(folder, settings)})
    write_hashed_json(
        folder / "manifest.json", describe(corpus, settings, folder, counts, vocabularies)
    )


def segment(settings: Data, tokens: Path, folder: Path, threads: int) -> None:
    """Learn subwords from the training tokens, and write bpe/{split}.{language} of all splits."""
    segmented, languages = folder / "bpe", settings.languages
    raw = uncleaned(settings, tokens)
    training = {language: raw / f"train.{language}" for language in languages}
    # Like fairseq's scripts, learn before cleaning, which counts subwords.
    learn(settings, training, folder, threads)
    segmenters = {language: load_segmenter(settings, folder, language) for language in languages}
    if settings.clean_on == "subwords":
        kept = [
            place / f"train.{language}" for place in (tokens, segmented) for language in languages
        ]
        found = segment_and_clean(settings, list(segmenters.values()), training, kept, threads)
        write_json(segmented / "cleaning.json", {"train": found})
    for language, segmenter in segmenters.items():
        for name in split_names(tokens, language):
            if name != "train" or settings.clean_on == "tokens":
                stem = f"{name}.{language}"
                segment_file(segmenter, tokens / stem, segmented / stem, threads)


if __name__ == "__main__":
    run(main)
