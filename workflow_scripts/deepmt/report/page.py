"""Self-contained pages: the tables of a paper, and the report over all papers."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd
from great_tables import GT, loc, style
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from deepmt.papers import Paper
from deepmt.report.answers import Status
from deepmt.report.encoded_sets import EncodedSet
from deepmt.report.material import Material
from deepmt.report.records import Refusal
from deepmt.report.sheets import STATUS_TEXT, Sheet
from deepmt.report.tables import LEGEND, heading_of, is_number
from deepmt.report.verdict import RULE

COLOURS = {
    "diverged": "var(--bad)",
    "measured": "var(--good)",
    "recorded": "var(--good)",
    "failed": "var(--bad)",
}
"""Of what stands in the status column; everything else is muted."""
SET_HEADINGS = (
    "Pairs",
    "Words, source / target",
    "Subwords",
    "Vocabulary",
    "Unknown subwords",
)
STYLE = """
:root { color-scheme: light dark; --page: #fbfbf9; --box: #ffffff; --text: #1d2127;
  --muted: #636b76; --line: #e0e2e6; --band: #f3f4f6; --ours: #f2f6fc; --good: #11693d;
  --bad: #a8321f; --accent: #2457a5; --note: #fff6dd; --note-line: #e0b84a; }
@media (prefers-color-scheme: dark) { :root { --page: #14171b; --box: #1b1f24; --text: #e5e7ea;
  --muted: #a0a8b3; --line: #343a42; --band: #23282f; --ours: #1f2833; --good: #79cf9d;
  --bad: #ff9d89; --accent: #93bbff; --note: #332b15; --note-line: #8a6d1f; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main, header { max-width: 84rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2rem; } main { padding-bottom: 4rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0; }
h2 { font-size: 1.3rem; line-height: 1.3; margin: 3rem 0 .25rem; }
h3 { font-size: 1rem; margin: 2.25rem 0 .25rem; font-weight: 400; max-width: 60rem; }
h3 b { margin-right: .35rem; }
p { margin: .25rem 0; max-width: 60rem; } a { color: var(--accent); }
.muted, .byline { color: var(--muted); } .byline { margin-top: .35rem; }
.scale { background: var(--note); border-left: 3px solid var(--note-line); border-radius: 3px;
  padding: .5rem .8rem; margin: 1.25rem 0; max-width: 60rem; }
.label { font-size: .9rem; margin-bottom: .5rem; }
.box { overflow-x: auto; background: var(--box); border: 1px solid var(--line);
  border-radius: 6px; }
.box:focus-visible { outline: 2px solid var(--accent); }
table { border-collapse: collapse; width: 100%; font-size: .9rem; line-height: 1.35; }
th, td { padding: .38rem .6rem; text-align: left; border-bottom: 1px solid var(--line);
  vertical-align: baseline; }
tbody tr:last-child > * { border-bottom: 0; }
thead th { font-weight: 600; vertical-align: bottom; background: var(--band); }
.gt_spanner_row th[colspan] { white-space: nowrap; }
th.gt_column_spanner_outer, th.gt_center { text-align: center; border-left: 1px solid var(--line); }
thead tr:last-child th { font-weight: 400; color: var(--muted); }
.gt_right { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th.gt_stub { font-weight: 400; min-width: 11rem; position: sticky; left: 0;
  background: var(--box); }
td.gt_left { min-width: 7rem; }
.gt_group_heading { font-weight: 600; background: var(--band); }
.notes { font-size: .85rem; color: var(--muted); margin: .5rem 0 0; max-width: 60rem; }
.notes summary { cursor: pointer; } .notes ul { margin: .25rem 0; padding-left: 1.2rem; }
.notes li { overflow-wrap: anywhere; }
footer { border-top: 1px solid var(--line); margin-top: 3rem; padding-top: 1rem;
  font-size: .85rem; color: var(--muted); }
@media (max-width: 40rem) { body { font-size: 15px; } main, header { padding: 0 .9rem; }
  header { padding-top: 1.2rem; } h1 { font-size: 1.35rem; } th.gt_stub { min-width: 8.5rem; }
  th, td { padding: .35rem .5rem; } }
@media print { .box { overflow: visible; border: 0; } body { background: none; } }
"""
TEMPLATE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }}</title>
<link rel="icon" href="data:,">
<style>{{ style }}</style>
</head>
<body>
<header>
<h1>{{ title }}</h1>
{% if byline %}<p class="byline">{{ byline }}</p>{% endif %}
<p class="scale">{{ scale_note }}</p>
</header>
<main>
{% if chapters | length > 1 %}
<h2 id="overview">Overview</h2>
<p>{{ summarise(chapters) }}</p>
<div class="box" role="region" aria-labelledby="overview" tabindex="0">
<table>
<thead><tr><th scope="col">Rows</th>{% for _, text in states %}
<th scope="col" class="gt_right">{{ text }}</th>{% endfor %}
<th scope="col" class="gt_right">all</th></tr></thead>
<tbody>{% for chapter in chapters %}
<tr><th scope="row" class="gt_stub"><a href="#{{ chapter.paper.key }}">
{{- chapter.paper.key }}</a></th>{% for state, _ in states %}
<td class="gt_right">{{ chapter.states[state] or "–" }}</td>{% endfor %}
<td class="gt_right">{{ chapter.states.total() }}</td></tr>{% endfor %}
</tbody>
</table>
</div>
<p class="muted">Every cell as data: <a href="cells.csv">cells.csv</a>
{%- if materials %}; what the systems were trained on: <a href="#corpora">corpora</a>{% endif %}</p>
{% endif %}
{% if refusals %}
<details class="notes"><summary>{{ refusals | length }} records were refused</summary>
<ul>{% for refusal in refusals %}<li>{{ refusal.message }}</li>{% endfor %}</ul></details>
{% endif %}
{% for chapter in chapters %}
{% if chapters | length > 1 %}
<h2 id="{{ chapter.paper.key }}">{{ chapter.paper.title }}</h2>
<p class="byline">{{ chapter.byline }}</p>
<p class="muted">This paper alone: {% for ending in ("html", "md", "tex") -%}
<a href="tables/{{ chapter.paper.key }}.{{ ending }}">{{ ending }}</a>{{ ", " if not loop.last }}
{%- endfor %}</p>
{% endif %}
{% for sheet in chapter.sheets %}
<section>
<h3 id="{{ sheet.id }}"><b>{{ sheet.title }}.</b> {{ sheet.caption }}</h3>
<p class="label">{{ sheet.label }}</p>
<div class="box" role="region" aria-labelledby="{{ sheet.id }}" tabindex="0">
{{- table_html(sheet) -}}
</div>
{% if sheet.notes %}
<details class="notes"><summary>Notes and signatures</summary>
<ul>{% for note in sheet.notes %}<li>{{ note }}</li>{% endfor %}</ul></details>
{% endif %}
</section>
{% endfor %}
{% endfor %}
{% if materials %}
<h2 id="corpora">Corpora</h2>
<p class="muted">Every set as data: <a href="corpora.csv">corpora.csv</a></p>
{% for material in materials %}
<section>
<h3 id="corpus-{{ material.source.key }}"><b>{{ material.source.title }}</b></h3>
{% for text in material.texts %}<p class="label">{{ text }}</p>
{% endfor %}
{% if material.sets %}
<div class="box" role="region" aria-labelledby="corpus-{{ material.source.key }}" tabindex="0">
<table>
<thead><tr><th scope="col">Set</th><th scope="col">Settings</th>
{% for heading in set_headings %}<th scope="col" class="gt_right">{{ heading }}</th>{% endfor %}
<th scope="col">Dropped by cleaning</th></tr></thead>
<tbody>{% for found in material.sets %}
<tr><th scope="row" class="gt_stub">{{ found.set }}</th><td>{{ found.settings }}</td>
{% for text in set_numbers(found) %}<td class="gt_right">{{ text }}</td>{% endfor %}
<td>{{ found.dropped or "–" }}</td></tr>{% endfor %}
</tbody>
</table>
</div>
{% else %}
<p class="muted">Not built on this machine: its numbers are from records/.</p>
{% endif %}
</section>
{% endfor %}
{% endif %}
<footer><p>{{ legend }}</p><p>{{ rule }}</p></footer>
</main>
</body>
</html>
"""


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """A paper and its tables."""

    paper: Paper
    sheets: Sequence[Sheet]

    @cached_property
    def states(self) -> Counter[Status]:
        """How many rows ended how."""
        return Counter(state for sheet in self.sheets for state in sheet.states)

    @property
    def byline(self) -> str:
        """Authors, year, venue."""
        parts = [", ".join(self.paper.authors), str(self.paper.year), self.paper.venue]
        return ". ".join(part for part in parts if part)


def paper_page(chapter: Chapter, scale_note: str) -> str:
    """The tables of one paper."""
    return _render(
        title=chapter.paper.title,
        byline=chapter.byline,
        scale_note=scale_note,
        chapters=[chapter],
        refusals=[],
        materials=[],
    )


def report_page(
    chapters: Sequence[Chapter],
    refusals: Sequence[Refusal],
    materials: Sequence[Material] = (),
    *,
    title: str,
    scale_note: str,
) -> str:
    """All papers, with an overview of what was run and the corpora behind it."""
    return _render(
        title=title,
        byline="",
        scale_note=scale_note,
        chapters=chapters,
        refusals=refusals,
        materials=materials,
    )


def set_numbers(found: EncodedSet) -> list[str]:
    """What SET_HEADINGS name."""
    sides = [
        (f"{found.source_words:,}", f"{found.target_words:,}"),
        (f"{found.source_subwords:,}", f"{found.target_subwords:,}"),
        (f"{found.source_vocabulary:,}", f"{found.target_vocabulary:,}"),
        (f"{found.source_unknown:.2%}", f"{found.target_unknown:.2%}"),
    ]
    return [f"{found.sentences:,}", *(" / ".join(side) for side in sides)]


def summarise(chapters: Sequence[Chapter]) -> str:
    """One sentence on what was run."""
    states = sum((chapter.states for chapter in chapters), Counter[Status]())
    own = states.total() - states["quoted"]
    here = states["measured"] + states["recorded"]
    return (
        f"{here} of the papers' {own} own rows measured, {states['diverged']} diverged,"
        f" {states['not-run']} not run; {states['quoted']} more are quoted from other literature."
    )


def table_html(sheet: Sheet) -> Markup:
    """One table by great_tables, without its style sheet, which knows no dark mode."""
    names = list(sheet.frame.columns)
    table = GT(
        _name_groups(sheet),
        rowname_col="system",
        groupname_col="group" if "group" in names else None,
    )
    for key, label in sheet.spanners.items():
        own = [name for name in names if name.rpartition(".")[0] == key]
        table = table.tab_spanner(label=label, columns=own, id=key)
    table = table.cols_label({name: heading_of(name, sheet)[1] for name in names})
    for name in names:
        table = table.cols_align("right" if is_number(name) else "left", [name])
    table = table.tab_stubhead("System")
    for position, state in enumerate(sheet.states):
        colour = style.css(f"color: {COLOURS.get(state, 'var(--muted)')}")
        table = table.tab_style(colour, loc.body(columns=["status"], rows=[position]))
    for name in names:
        if name.endswith(".ours"):
            table = table.tab_style(style.css("background: var(--ours)"), loc.body(columns=[name]))
    [markup] = re.findall(r"<table.*</table>", table.as_raw_html(), re.DOTALL)
    return Markup(_unique_ids(markup, sheet.id))


def _name_groups(sheet: Sheet) -> pd.DataFrame:
    """Rows outside the table's groups need a heading of their own, or they join the last group."""
    if "group" not in sheet.frame.columns:
        return sheet.frame
    loose = {
        state for state, group in zip(sheet.states, sheet.frame["group"], strict=True) if not group
    }
    name = "Quoted from other literature" if loose == {"quoted"} else "Other systems"
    return sheet.frame.assign(group=sheet.frame["group"].replace("", name))


def _unique_ids(markup: str, prefix: str) -> str:
    """Put the table's id before every id, since a page holds many tables."""

    def rename(found: re.Match[str]) -> str:
        words = " ".join(f"{prefix}-{word}" for word in found[2].split())
        return f'{found[1]}="{words}"'

    return re.sub(r'\b(id|headers)="([^"]*)"', rename, markup)


def _render(**parts: Any) -> str:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return environment.from_string(TEMPLATE).render(
        style=Markup(STYLE),
        states=[(state, text or "other") for state, text in STATUS_TEXT.items()],
        table_html=table_html,
        set_headings=SET_HEADINGS,
        set_numbers=set_numbers,
        summarise=summarise,
        legend=LEGEND,
        rule=RULE,
        **parts,
    )
