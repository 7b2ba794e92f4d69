"""Keep what recorded seeds wrote by sentence, compressed: hypotheses and log probabilities."""

import hashlib
import json
import lzma
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from deepmt.base.errors import UserError
from deepmt.base.files import REMEDY, replacing
from deepmt.measured.log_probabilities import file_of
from deepmt.settings.seed_folder import PointFolder
from deepmt.settings.strict import STRICT, message_of

LINES = TypeAdapter(dict[str, list[str]], config=STRICT)
"""What a file holds: the lines of each split, and of each file of log probabilities."""
RESTORE = "restore it from git"
MOST = 1 << 25
"""Bytes of the longest file that is unpacked: a hundred times as many as the longest here."""


def path_of(archive: Path, run: str, seed: int) -> Path:
    """Return the file that holds the hypotheses of a seed."""
    return archive / "hypotheses" / f"{run}.seed{seed}.json.xz"


def hypotheses_of(record: Mapping[str, Any], folder: Path) -> dict[str, list[str]]:
    """Return the detokenised hypotheses and log probabilities that a record names by hash.

    `folder` holds them.

    Raises:
        ValueError: a file is missing, or does not have the hash in the record.
    """
    hypotheses, logs = (record.get(key, {}) for key in ("hypotheses", "log_probabilities"))
    files = PointFolder(folder)
    return {
        split: read_text(files.hypotheses(split), digest) for split, digest in hypotheses.items()
    } | {
        file_of(split): read_text(files.log_probabilities(split), digest)
        for split, digest in logs.items()
    }


def write_hypotheses(
    lines: Mapping[str, Sequence[str]], run: str, seed: int, archive: Path
) -> None:
    """Put what `hypotheses_of` returns into the archive; remove an earlier file if it is empty."""
    target = path_of(archive, run, seed)
    if not lines:
        target.unlink(missing_ok=True)
        return
    with replacing(target) as temporary:
        text = json.dumps(lines, sort_keys=True)
        temporary.write_bytes(lzma.compress(text.encode(), preset=9))


def read_hypotheses(
    archive: Path, run: str, seed: int, known: Mapping[str, str]
) -> dict[str, list[str]]:
    """Return the lines of each split; `known` maps splits to the hashes in the record.

    `known` may name log probabilities by their files as well.

    Raises:
        ValueError: the file is missing or damaged; names it.
    """
    path = path_of(archive, run, seed)
    try:
        lines = LINES.validate_json(_unpacked(path.read_bytes()))
    except (OSError, lzma.LZMAError, EOFError) as error:
        raise UserError(f"{path} is missing or damaged ({error}); {RESTORE}") from error
    except ValueError as error:
        raise UserError(f"{path} is damaged ({message_of(error)}); {RESTORE}") from error
    if lacking := known.keys() - lines.keys():
        raise UserError(f"{path} is damaged (it lacks {', '.join(sorted(lacking))}); {RESTORE}")
    for key, digest in known.items():
        text = "".join(f"{line}\n" for line in lines[key])
        _check(text.encode(), digest, f"{path}: {key}")
    return {key: lines[key] for key in known}


def _unpacked(packed: bytes) -> bytes:
    """Return what a file of xz holds, up to a bound."""
    unpacking = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=4 * MOST)
    text = unpacking.decompress(packed, MOST)
    if not unpacking.eof:
        raise EOFError(f"cut short, or more than {MOST:,} bytes unpacked")
    return text


def read_text(path: Path, digest: str) -> list[str]:
    """Return the lines of a text, which \\n alone ends.

    Raises:
        ValueError: the file is missing, or does not have this hash.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror}); {REMEDY}") from error
    _check(text, digest, str(path))
    try:
        *lines, rest = text.decode().split("\n")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise UserError(f"{path}, line {line}: is not UTF-8; {REMEDY}") from error
    if rest:
        raise UserError(f"{path}, line {len(lines) + 1}: does not end; {REMEDY}")
    return lines


def _check(text: bytes, digest: str, where: str) -> None:
    if hashlib.sha256(text).hexdigest() != digest:
        raise UserError(f"{where} is damaged: it does not have the hash in the record")
