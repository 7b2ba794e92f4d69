"""Keep the hypotheses of recorded seeds, compressed, and read them again."""

import hashlib
import json
import lzma
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deepmt.files import replacing


def path_of(archive: Path, run: str, seed: int) -> Path:
    """Return the file that holds the hypotheses of a seed."""
    return archive / "hypotheses" / f"{run}.seed{seed}.json.xz"


def archive_hypotheses(record: Mapping[str, Any], folder: Path, archive: Path) -> None:
    """Write the detokenised hypotheses that a record names by hash; `folder` holds them.

    Remove those of an earlier record if this one names none.

    Raises:
        ValueError: a file does not have the hash in the record.
    """
    target = path_of(archive, record["run"], record["seed"])
    known = record.get("hypotheses", {})
    if not known:
        target.unlink(missing_ok=True)
        return
    texts = {split: (folder / f"hyp.{split}.txt").read_bytes() for split in sorted(known)}
    for split, text in texts.items():
        _check(text, known[split], f"{folder}/hyp.{split}.txt")
    lines = {split: text.decode().split("\n")[:-1] for split, text in texts.items()}
    with replacing(target) as temporary:
        temporary.write_bytes(lzma.compress(json.dumps(lines).encode(), preset=9))


def read_hypotheses(
    archive: Path, run: str, seed: int, known: Mapping[str, str]
) -> dict[str, list[str]]:
    """Return the lines of each split; `known` maps splits to the hashes in the record.

    Raises:
        ValueError: the file is missing or damaged; names it.
    """
    path = path_of(archive, run, seed)
    try:
        lines: dict[str, list[str]] = json.loads(lzma.decompress(path.read_bytes()))
    except (OSError, lzma.LZMAError, ValueError) as error:
        raise ValueError(f"{path} is missing or damaged ({error}); restore it from git") from error
    for split, digest in known.items():
        text = "".join(f"{line}\n" for line in lines.get(split, ()))
        _check(text.encode(), digest, f"{path}: {split}")
    return lines


def _check(text: bytes, digest: str, where: str) -> None:
    if hashlib.sha256(text).hexdigest() != digest:
        raise ValueError(f"{where} is damaged: it does not have the hash in the record")
