"""Learn subwords on training text, apply them to every split, and undo them on output.

BPE is that of Sennrich et al. (2016), by their subword-nmt. Text is tokens separated by spaces.
A library is imported where it is called: who translates needs that of the model alone.
"""

import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from deepmt.base.errors import UserError
from deepmt.data.line_batches import in_batches
from deepmt.data.lines import read_lines, replacing, words
from deepmt.settings.spec import Data

CACHED_WORDS = 1 << 20
"""Number of words whose subwords are cached."""


class Segmenter:
    """Cut the tokens of a line into subwords, and join them again; without a model, leave them."""

    def segment(self, line: str) -> str:
        """Return subwords with single spaces between them."""
        return " ".join(words(line))

    def undo(self, line: str) -> str:
        """Return the line before it was cut."""
        return line


class Cut(Segmenter):
    """Leave what comes cut by BPE, and join it as `Bpe` does."""

    def undo(self, line: str) -> str:
        """Join marked subwords, as `sed -r 's/(@@ )|(@@ ?$)//g'` does."""
        return re.sub("(@@ )|(@@ ?$)", "", line)


class SentencePiece(Segmenter):
    """Segment with sentencepiece, which has its own mark for spaces."""

    def __init__(self, model: Path) -> None:
        import sentencepiece

        self._processor = sentencepiece.SentencePieceProcessor(model_file=str(model))

    def segment(self, line: str) -> str:
        """Return pieces with single spaces between them."""
        return " ".join(self._processor.encode(line, out_type=str))

    def undo(self, line: str) -> str:
        """Join the pieces."""
        return str(self._processor.decode(words(line)))


class Bpe(Cut):
    """Segment with subword-nmt by a list of merges, marked with `@@ `.

    If a vocabulary is given, pieces that it lacks are cut further.
    """

    def __init__(self, codes: Path, vocabulary: set[str] | None = None) -> None:
        from subword_nmt import apply_bpe

        with codes.open(encoding="utf-8", newline="\n") as stream:
            self._bpe = apply_bpe.BPE(stream, vocab=vocabulary)
        self._known: dict[str, str] = {}

    def segment(self, line: str) -> str:
        """Return the subwords of each word, all but its last one marked; outer spaces stay."""
        if line != line.strip(" "):
            return str(self._bpe.process_line(line))
        if len(self._known) > CACHED_WORDS:
            self._known.clear()
        return " ".join([self._known.get(word) or self._cut(word) for word in words(line)])

    def _cut(self, word: str) -> str:
        cut = self._known[word] = " ".join(self._bpe.segment_tokens([word]))
        self._bpe.cache.clear()  # nobody asks it again
        return cut


def learn(data: Data, training: Mapping[str, Path], folder: Path, processes: int = 1) -> None:
    """Learn subwords from each language's training text; write the files of `load_segmenter`.

    These are codes.joint if learned jointly, else codes.{language}; with a threshold also the
    counts of pieces, pieces.{language}, as learn_joint_bpe_and_vocab writes them.
    """
    groups = {"joint": list(training)} if data.joint else {name: [name] for name in training}
    for name, languages in groups.items() if data.subword in ("bpe", "sentencepiece") else ():
        files, codes = [training[language] for language in languages], folder / f"codes.{name}"
        if data.subword == "sentencepiece":
            _learn_sentencepiece(chain.from_iterable(map(read_lines, files)), data.merges, codes)
            continue
        _learn_bpe(count_in(files, processes), data.merges, codes)
        for language in languages if data.threshold else ():
            counts = count_in([training[language]], processes)
            _write_pieces(Bpe(codes), counts, folder / f"pieces.{language}")


def _learn_bpe(counts: Counter[str], merges: int, path: Path) -> None:
    from subword_nmt.learn_bpe import learn_bpe

    if all(len(word) < 2 for word in counts):
        raise UserError("BPE needs a word of two or more characters in the training text")
    with replacing(path) as stream:
        dictionary = (f"{word} {count}" for word, count in counts.items())
        learn_bpe(dictionary, stream, merges, is_dict=True)


def _write_pieces(bpe: Bpe, counts: Counter[str], path: Path) -> None:
    pieces: Counter[str] = Counter()
    for word, count in counts.items():
        for piece in words(bpe.segment(word)):
            pieces[piece] += count
    with replacing(path) as stream:
        for piece, count in sorted(pieces.items(), key=lambda entry: (-entry[1], entry[0])):
            stream.write(f"{piece} {count}\n")


def _learn_sentencepiece(lines: Iterable[str], pieces: int, path: Path) -> None:
    import sentencepiece

    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=model,
        model_type="unigram",
        vocab_size=pieces,
        character_coverage=1.0,
        hard_vocab_limit=False,
        normalization_rule_name="identity",
        num_threads=1,
        minloglevel=1,
    )
    with replacing(path, "wb") as stream:
        stream.write(model.getvalue())


def codes_of(data: Data, language: str) -> str:
    """Return the name of the file of codes of one language."""
    return f"codes.{'joint' if data.joint else language}"


def load_segmenter(data: Data, file: Callable[[str], Path], language: str) -> Segmenter:
    """Load the segmenter of one language; `file` finds what `learn` wrote by its name."""
    if data.subword in ("none", "cut"):
        return Cut() if data.subword == "cut" else Segmenter()
    codes = file(codes_of(data, language))
    if data.subword == "sentencepiece":
        return SentencePiece(codes)
    if not data.threshold:
        return Bpe(codes)
    from subword_nmt import apply_bpe

    with file(f"pieces.{language}").open(encoding="utf-8", newline="\n") as counts:
        return Bpe(codes, apply_bpe.read_vocabulary(counts, data.threshold))


def count_in(files: Sequence[Path], processes: int = 1) -> Counter[str]:
    """Count how often each token occurs in files of tokens."""
    counts: Counter[str] = Counter()
    lines = chain.from_iterable(map(read_lines, files))
    for counted in in_batches(_count_words, lines, processes, " and ".join(map(str, files))):
        counts.update(counted)
    return counts


def _count_words(lines: list[str]) -> Counter[str]:
    return Counter(word for line in lines for word in words(line))


def segment_file(segmenter: Segmenter, source: Path, output: Path, processes: int = 1) -> None:
    """Cut every line of a file of tokens into subwords."""
    work = partial(_segment, segmenter)
    with replacing(output) as stream:
        stream.writelines(in_batches(work, read_lines(source), processes, source))


def _segment(segmenter: Segmenter, lines: list[str]) -> str:
    return "\n".join([*map(segmenter.segment, lines), ""])
