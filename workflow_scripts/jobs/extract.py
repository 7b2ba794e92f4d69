"""Extract the text pairs of every split of a corpus from its archives."""

from pathlib import Path
from typing import Annotated

from deepmt.base.cli import run
from deepmt.base.errors import UserError
from deepmt.data.archives import check
from deepmt.data.extraction import extract
from deepmt.settings.corpora import load_corpora


def main(
    *,
    corpora_file: Path,
    corpus: str,
    archives: Annotated[tuple[Path, ...], "named by their keys in corpora.yaml"],
    output_dir: Path,
) -> None:
    """Write {split}.{language} for every split, and counts.json."""
    corpora = load_corpora(corpora_file)
    entry = corpora.corpus(corpus)
    files = {path.name: path for path in archives}
    if entry.origin != "archives" or files.keys() != set(entry.archives):
        needed = ", ".join(entry.archives) or "none: it is not extracted"
        raise UserError(f"{corpus}: --archives must name {needed}")
    for key, path in files.items():
        check(corpora.archive(key), path)
    extract(entry, files, output_dir)


if __name__ == "__main__":
    run(main)
