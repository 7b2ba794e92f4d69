"""Hash again everything that was fetched and extracted; status 1 if anything is damaged."""

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import parse
from deepmt.config.corpora import load_corpora
from deepmt.data.verification import verify


@dataclass(frozen=True, kw_only=True)
class Args:
    """Say of every archive and raw text: ok, damaged (and how to mend it), missing or unknown."""

    corpora_file: Path = Path("corpora.yaml")
    folder: Path = Path("data")


def main(args: Args) -> int:
    """The exit status: 1 if anything must be mended."""
    counts: Counter[str] = Counter()
    broken = False
    for finding in verify(load_corpora(args.corpora_file), args.folder):
        print(finding, flush=True)
        counts[finding.status] += 1
        broken = broken or bool(finding.mend)
    print(", ".join(f"{count} {status}" for status, count in counts.items()) or "nothing there")
    return int(broken)


if __name__ == "__main__":
    sys.exit(main(parse(Args)))
