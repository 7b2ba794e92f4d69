"""What the ids of an encoding no longer show: its words, and the merges that were learned."""

from pathlib import Path

from deepmt.config.spec import Data
from deepmt.data.lines import read_lines, set_names, words
from deepmt.data.shards import Shard, in_order, shards


def words_by_set(folder: Path, settings: Data, processes: int = 1) -> dict[str, dict[str, int]]:
    """Words by set and language: tokens before subwords, after cleaning."""
    found: dict[str, dict[str, int]] = {}
    for language in settings.languages:
        for name in set_names(folder / "tok", language):
            parts = shards(folder / "tok" / f"{name}.{language}")
            found.setdefault(name, {})[language] = sum(in_order(_count, parts, processes))
    return found


def _count(shard: Shard) -> int:
    return sum(len(words(line)) for line in shard.lines())


def learned_merges(folder: Path, settings: Data) -> dict[str, int]:
    """BPE merges by language, which may be fewer than were asked for; none without BPE."""
    if settings.subword != "bpe":
        return {}
    files = {
        language: folder / f"codes.{'joint' if settings.joint else language}"
        for language in settings.languages
    }
    # The first line names the version.
    return {language: sum(1 for _ in read_lines(path)) - 1 for language, path in files.items()}
