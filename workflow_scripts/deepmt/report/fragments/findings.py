"""Read the heads of findings/*.sh: surprises about outside software, each with a script."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from deepmt.base.errors import UserError
from deepmt.base.files import visible

TOPICS = "toolkits models text scores workflow cluster statistics".split()
KEYS = "Topic Packages Behaviour", "Why a good guess is wrong", "Who meets it", "Source", "Seen"
NEEDED = (*KEYS[0].split(), *KEYS[1:])
LINE = re.compile(rf"({'|'.join(NEEDED)}|Remedy): +(\S.*)")


@dataclass(frozen=True)
class Finding:
    """Hold the head of a script: its surprise, and what it says by key."""

    path: Path
    surprise: str
    said: dict[str, str]


def read_finding(path: Path) -> Finding:
    """Read the head of a script.

    Raises:
        UserError: a key is missing, or the topic unknown.
    """
    first, second, *rest = path.read_text(encoding="utf-8").splitlines()
    if first != "#!/usr/bin/env bash" or not second.startswith("# "):
        raise UserError(f"{path}:1: needs `#!/usr/bin/env bash`, then `# ` and the surprise")
    said: dict[str, str] = {}
    key = ""
    for line in (line.removeprefix("#") for line in rest[: head_length(rest)]):
        if found := LINE.fullmatch(line.strip()):
            key, said[found[1]] = found[1], found[2]
        elif key and line.startswith("  "):
            said[key] += f" {line.strip()}"
        else:
            raise UserError(f"{path}: {line!r} has no key ({', '.join(NEEDED)}, Remedy)")
    if missing := [key for key in NEEDED if key not in said]:
        raise UserError(f"{path}: the head needs {', '.join(missing)}")
    if said["Topic"] not in TOPICS:
        raise UserError(f"{path}: Topic {said['Topic']!r} must be one of {', '.join(TOPICS)}")
    return Finding(path, second.removeprefix("# "), said)


def head_length(lines: list[str]) -> int:
    """Return the number of comment lines at the beginning."""
    return next((n for n, line in enumerate(lines) if not line.startswith("#")), len(lines))


def read_findings(root: Path) -> Iterator[Finding]:
    """Yield all findings of the project at `root`, by name."""
    yield from map(read_finding, visible(root / "findings", "*.sh"))
