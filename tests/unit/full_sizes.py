"""The papers and their own scale, and the same with models of a few numbers."""

from dataclasses import replace
from pathlib import Path

from deepmt.settings.corpora import load_corpora
from deepmt.settings.spec import Width
from deepmt.study.papers import load
from deepmt.study.scale import load_scale

ROOT = Path(__file__).parents[2]
CORPORA = load_corpora(ROOT / "corpora.yaml")
SCALE = load_scale(ROOT / "scales/paper.yaml", CORPORA)
TINY = replace(
    SCALE, widths=dict.fromkeys(SCALE.widths, Width(d_model=8, feed_forward=16, heads=2))
)
PAPERS = {
    key: load(ROOT / f"papers/{key}.yaml")
    for key in ("zhang2019", "wang2019", "bapna2018", "liu2020")
}
UNIFIED = load(ROOT / "papers/unified.yaml")
