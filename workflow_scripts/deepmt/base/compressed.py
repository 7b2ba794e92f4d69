"""Know compressed files by their first bytes."""

from io import BufferedReader

from deepmt.base.errors import UserError

MARKS = {
    b"\x1f\x8b": ("gzip", "gunzip -c"),
    b"\xfd7zXZ\x00": ("xz", "xz -dc"),
    b"BZh": ("bzip2", "bunzip2 -c"),
    b"\x28\xb5\x2f\xfd": ("zstd", "zstd -dc"),
    b"PK\x03\x04": ("zip", "unzip -p"),
}
"""First bytes -> the program's name, and the command that prints the content."""


def refuse_compressed(stream: BufferedReader, name: object) -> None:
    """Raise ValueError for a stream that is no plain text but compressed; read nothing of it."""
    head = stream.peek(max(map(len, MARKS)))
    for mark, (kind, command) in MARKS.items():
        if head.startswith(mark):
            raise UserError(f"{name}: is compressed ({kind}): unpack it first, by `{command}`")
