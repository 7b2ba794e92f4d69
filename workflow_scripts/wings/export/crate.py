"""Write one archive of results and everything behind them, with RO-Crate metadata."""

from datetime import UTC, datetime
from datetime import date as Date
from pathlib import Path
from typing import Annotated

from deepmt.base.cli import run
from deepmt.base.files import sha256
from deepmt.base.printable import printable
from deepmt.study.config_file import read_overrides
from wings.export.crate_contents import gather
from wings.export.ro_crate import write_crate


def main(
    *,
    config: Annotated[tuple[str, ...], "as for Snakemake, e.g. scale=toy rows=all"] = (),
    models: Annotated[
        tuple[str, ...], "rows or runs whose weights to include, for every seed"
    ] = (),
    hypotheses: Annotated[bool, "include translations"] = True,
    authors: Annotated[
        tuple[str, ...], "names, each in quotes; default: those of CITATION.cff"
    ] = (),
    date: Annotated[Date | None, "date of publication; default: today"] = None,
    output: Path,
    root: Path = Path(),
) -> None:
    """Bundle records, specs, tables, figures, claims, report and settings (docs/release.md).

    Raises:
        ValueError: if a file is missing, or tables are older than records.
    """
    requested = read_overrides(config)
    contents = gather(root, requested, models, hypotheses=hypotheses)
    day = date or datetime.now(UTC).date()
    write_crate(output, contents, root, day.isoformat(), authors)
    held = f"{len(contents.records)} records, {len(contents.models)} models"
    said = f"{output}: {held}, {len(contents.files)} files\nsha256 {sha256(output)}"
    print(printable(said))


if __name__ == "__main__":
    run(main)
