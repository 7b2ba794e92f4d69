"""What a stage computes with is among the inputs of its rule, or of a rule before it."""

import ast
import os
import re
from functools import cache
from pathlib import Path

import pytest
from test_workflow import ROOT, snakemake

SCRIPTS = ROOT / "workflow_scripts"
LIBRARY = SCRIPTS / "deepmt"

SETTINGS = set(
    "cli.py train/code.py files.py config/strict_yaml.py config/spec.py config/settings.py"
    " config/papers.py config/paper_claims.py config/corpora.py config/data_settings.py"
    " config/synthetic.py data/text.py config/figure_options.py"
    " config/figure_option_parts.py report/figures/course_options.py".split()
)
"""They read flags and settings, which are inputs or parameters themselves, and write files."""
LOOKS = set(
    "data/prefetch.py metrics/gradient_norms.py metrics/mixtures.py"
    " metrics/output_gradients.py".split()
)
"""Reading ahead, and what training looks at: no weight depends on them."""
TEXT = set("data/encoded.py data/lines.py data/shards.py data/vocabulary.py data/words.py".split())
"""They read text, of which `params`, `probe` and `speed` have none."""
CLEANING = set(
    "data/bpe.py data/byte_pairs.py data/cleaning.py data/neighbours.py data/odd_words.py"
    " data/pair_counts.py data/shards.py data/subword.py data/tokeniser.py data/words.py".split()
)
"""What `extract` counts pairs with where a corpus is split after cleaning: as BEFORE_TRAINING."""
BEFORE_TRAINING = ("generate", "extract", "tokenise", "segment", "encode", "initialise", "train")
"""Their scripts are no inputs, since an edit of a flag would train everything again; every record
has the hashes of its data and of training's code, and `explain.py` tells if they have changed.
"""
LEDGER = set(
    "metrics/spread.py results/encoded_corpora.py results/results.py results/sources.py"
    " results/corpus_statistics.py results/untrained_values.py results/verdict.py".split()
)
"""What is known beside the records, of which `significance` and `breakdown` use nothing."""
WITHOUT = {
    "fetch_archive": "an archive has a checksum",
    "resolve": "a spec's hash is in its name",
    "plan": "it looks anew each time",
}
"""Rules that list no code, and why."""
EXCEPT = {
    "extract": CLEANING,
    **dict.fromkeys(("params", "probe", "speed"), TEXT),
    **dict.fromkeys(("significance", "breakdown"), LEDGER),
}


def rules() -> dict[str, str]:
    """The text of every rule that runs a script, by name."""
    found = {}
    for path in sorted((ROOT / "rules").glob("*.smk")):
        begins = r"^(?:use rule \w+ as|rule) (\w+).*:\n"
        _, *parts = re.split(begins, path.read_text(), flags=re.MULTILINE)
        found |= dict(zip(parts[::2], parts[1::2], strict=True))
    return {name: body for name, body in found.items() if "python workflow_scripts/" in body}


RULES = rules()
assert "export_model" in RULES


def script_of(rule: str) -> Path:
    """The script that a rule runs."""
    return SCRIPTS / re.findall(r"workflow_scripts/(\w+\.py)", RULES[rule])[0]


def name(file: Path) -> str:
    """A file as seen from the library, e.g. model/norm.py or ../train.py."""
    return os.path.relpath(file, LIBRARY)


def listed(rule: str) -> set[Path]:
    """Files whose sums are among a rule's inputs."""
    found: set[Path] = set()
    for call in re.findall(r"library\(.*?\)", RULES.get(rule, ""), re.DOTALL):
        parsed = ast.parse(call, mode="eval").body
        assert isinstance(parsed, ast.Call)
        parts = [list(LIBRARY.glob(ast.literal_eval(part))) for part in parsed.args]
        parts += [list(SCRIPTS.glob(ast.literal_eval(key.value))) for key in parsed.keywords]
        assert all(parts), f"{rule}: a part of {call} is no file"
        found.update(*parts)
    return found


@cache
def imported(file: Path) -> set[Path]:
    """Files of ours that a file imports."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names} | {str(node.module)}
    paths = [SCRIPTS.joinpath(*name.split(".")) for name in names if name.startswith("deepmt.")]
    files = [path.with_suffix(".py") for path in paths] + [path / "__init__.py" for path in paths]
    # A docstring alone computes nothing.
    return {file for file in files if file.is_file() and len(ast.parse(file.read_text()).body) > 1}


def computed_with(file: Path) -> set[Path]:
    """A script, and all files of ours that it imports directly or by others."""
    found, waiting = {file}, [file]
    while waiting:
        new = imported(waiting.pop()) - found
        found |= new
        waiting += new
    return found


@pytest.fixture(scope="module")
def before() -> dict[str, set[str]]:
    """Rules by the rule that takes what they make."""
    rows = "rows=unified.t2.synthetic,liu2020.table3,liu2020.fig3,zhang2019.t4.r01"
    targets = ("all", "comparisons", "crate", "export", "probes", "speed")
    found = snakemake("--rulegraph", "dot", "--forceall", "--config", rows, "--", *targets)
    assert found.returncode == 0, found.stderr
    names = dict(re.findall(r'(\d+)\[label = "(\w+)"', found.stdout))
    edges: dict[str, set[str]] = {}
    for one, other in re.findall(r"(\d+) -> (\d+)", found.stdout):
        edges.setdefault(names[other], set()).add(names[one])
    return edges


def so_far(rule: str, before: dict[str, set[str]]) -> set[str]:
    """A rule, and all that must have run before it."""
    found, waiting = {rule}, [rule]
    while waiting:
        new = before.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


@pytest.mark.parametrize("rule", sorted(RULES.keys() - WITHOUT))
def test_what_a_rule_computes_with_is_an_input(rule: str, before: dict[str, set[str]]) -> None:
    script = script_of(rule)
    there = set().union(*map(listed, so_far(rule, before)))
    if rule in BEFORE_TRAINING:
        there.add(script)
    missing = {name(file) for file in computed_with(script) - there}
    assert missing - SETTINGS - LOOKS - EXCEPT.get(rule, set()) == set()


@pytest.mark.parametrize("rule", WITHOUT)
def test_rules_without_code_are_known(rule: str) -> None:
    assert "library(" not in RULES[rule]
