"""Render the report from templates, with style and script inside, so it works offline."""

import hashlib
import math
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path

from jinja2 import Environment as Templates
from jinja2 import FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from deepmt.judge.check import RULE as RULE_OF_CLAIMS
from deepmt.judge.check_sides import of_mean
from deepmt.judge.printed import RULE
from deepmt.judge.ranking import Ranking, interval_of, logs_of
from deepmt.measured.encoded_corpora import EncodedSplit
from deepmt.measured.table import Measured
from deepmt.report.answer_in_words import (
    answer_lines,
    best,
    by_question,
    leads,
    noise,
    on,
    standing,
    words,
)
from deepmt.report.markdown import LEGEND
from deepmt.report.origins import origin_id, origins, traced
from deepmt.report.page.chapters import Chapter, Opening
from deepmt.report.page.html_table import (
    frame_html,
    html,
    lines_of,
    mark,
    seeds_html,
    split_rows,
    table_html,
)
from deepmt.report.page.names import meaning, meanings, standings
from deepmt.report.page.overview import gaps, overview, splits

FOLDER = Path(__file__).parent
NAMES = re.compile(r"(\w[\w./-]*\w)")


def report_page(
    chapters: Sequence[Chapter],
    results: Measured,
    folder: Path,
    built: Sequence[EncodedSplit] = (),
    ranking: Ranking | None = None,
    board: Ranking | None = None,
    examples: Sequence[Mapping[str, str]] = (),
    opening: Opening | None = None,
    printed: str = "",
) -> str:
    """Return report.html: an overview, all papers, and the origins of the numbers.

    `folder` is results/<scale>; `board` is the ranking of another scale, that of README; `printed`
    compares a printed score of one seed.
    """
    claims = [claim for chapter in chapters for claim in chapter.claims]
    places = [place for chapter in chapters for place in chapter.places]
    traces = [traced(*place, results) for place in places if place[-1].ours is not None]
    script = (FOLDER / "script.js").read_text(encoding="utf-8")
    alone = folder.name == f"{results.scale}-records"  # by ./deepmt report
    return template("report.html.j2").render(
        title=f"Deep Transformers for translation: {results.scale_title}",
        style=Markup((FOLDER / "style.css").read_text(encoding="utf-8")),
        script=Markup(script),
        script_sha256=b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        scale_note=results.scale_note,
        chapters=chapters,
        ranking=ranking,
        board=board,
        examples=examples,
        opening=opening,
        printed=printed,
        counts=overview(chapters),
        failing=[claim for claim in claims if claim.status == "fails"],
        gaps=gaps(chapters),
        refusals=results.refusals,
        splits=splits(built),
        origins=origins(traces, results, folder),
        where_results_are=f" --results results/{folder.name}" if alone else "",
        legend=LEGEND,
        rule=RULE,
        rule_of_claims=RULE_OF_CLAIMS,
    )


def sentence(text: str) -> str:
    """Return a text with a capital letter."""
    return text[:1].upper() + text[1:]


def named(evidence: str, chapter: Chapter) -> Markup:
    """Return the evidence of a claim with labels for ids; those of our numbers lead to records."""
    return Markup("").join(chapter.labels.get(part, escape(part)) for part in NAMES.split(evidence))


def template(name: str, *folders: Path) -> Template:
    """Return a template of the page, or one of other folders, with its helpers."""
    templates = Templates(
        loader=FileSystemLoader([*folders, FOLDER / "templates"]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    helpers = (
        *(answer_lines, best, by_question, leads, noise, on, standing, words),
        *(interval_of, logs_of, math.exp, math.log),
        *(lines_of, of_mean, origin_id, standings),
        *(
            frame_html,
            html,
            mark,
            meaning,
            meanings,
            named,
            seeds_html,
            sentence,
            split_rows,
            table_html,
        ),
    )
    templates.globals |= {one.__name__: one for one in helpers}
    return templates.get_template(name)
