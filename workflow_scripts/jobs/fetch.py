"""Fetch one archive of corpora.yaml; the only stage that needs the network."""

from pathlib import Path
from typing import Annotated

from deepmt.base.cli import run
from deepmt.data.fetch import fetch
from deepmt.settings.corpora import load_corpora


def main(
    *,
    archive: str,
    corpora_file: Path = Path("corpora.yaml"),
    output: Annotated[Path | None, "default: data/archives/ARCHIVE"] = None,
    mirror: str = "",
) -> None:
    """Fetch one archive: from the mirror if one is given, else from its public addresses."""
    entry = load_corpora(corpora_file).archive(archive)
    fetch(entry, output or Path("data/archives", archive), Path(mirror) if mirror else None)


if __name__ == "__main__":
    run(main)
