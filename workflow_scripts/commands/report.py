"""Render the records of a scale, without training: tables, figures, claims and a page.

`./deepmt report pages` makes the tables of README and docs from all records.
"""

from pathlib import Path
from typing import Annotated

from deepmt.base.cli import Positional, run
from deepmt.base.printable import printable, say
from deepmt.report.fragments.pages import write_pages
from deepmt.report.results_folder import write_results
from deepmt.study.config_file import load_config
from deepmt.study.plan import load_plan

PAGES = "pages"


def main(
    *,
    scale: Annotated[str, Positional("a scale with records, e.g. multi30k-budget, or `pages`")],
    papers: Annotated[tuple[str, ...], "keys of papers"] = ("all",),
    output: Annotated[Path | None, "default: results/<scale>-records"] = None,
    root: Path = Path(),
) -> None:
    """Write what records/ holds of a scale as tables, figures, claims and report.html.

    `pages` writes the tables of README and docs instead.
    """
    if scale == PAGES:
        for path in write_pages(root):
            print(printable(str(path)))
        return
    asked = {"scale": scale, "papers": list(papers)}
    config, _ = load_config(root / "config.yaml", asked)
    rows = "headline" if any(map(config.headline.get, config.papers)) else "all"
    plan = load_plan(root, {**asked, "rows": rows})
    for sentence in plan.without_effect:
        say(sentence)
    results = output or root / plan.config.results_of_records
    headline = write_results(plan, root, results)
    print(printable(f"{headline}Open {results}/report.html"))


if __name__ == "__main__":
    run(main)
