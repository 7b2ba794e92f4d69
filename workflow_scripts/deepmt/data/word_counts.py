"""Count words and learned merges, which the ids of a dataset no longer show."""

from pathlib import Path

from deepmt.config.spec import Data
from deepmt.data.line_batches import in_batches
from deepmt.data.lines import read_lines, split_names, words


def words_by_split(folder: Path, settings: Data, processes: int = 1) -> dict[str, dict[str, int]]:
    """Count words (tokens before subwords, after cleaning) by split and language."""
    found: dict[str, dict[str, int]] = {}
    for language in settings.languages:
        for name in split_names(folder / "tok", language):
            path = folder / "tok" / f"{name}.{language}"
            counts = in_batches(_count, read_lines(path), processes, path)
            found.setdefault(name, {})[language] = sum(counts)
    return found


def _count(lines: list[str]) -> int:
    return sum(len(words(line)) for line in lines)


def learned_merges(folder: Path, settings: Data) -> dict[str, int]:
    """Count BPE merges by language, which may be fewer than requested; none without BPE."""
    if settings.subword != "bpe":
        return {}
    files = {
        language: folder / f"codes.{'joint' if settings.joint else language}"
        for language in settings.languages
    }
    # The first line names the version.
    return {language: sum(1 for _ in read_lines(path)) - 1 for language, path in files.items()}
