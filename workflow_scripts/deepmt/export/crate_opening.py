"""A crate opened in a clone: verified, compared with it, its records put where tables find them."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from deepmt.config.settings import Plan, load_plan
from deepmt.export.crate_archive import extract
from deepmt.export.crate_environment import FILE, Environment, differences, read_environment
from deepmt.export.crate_records import Merge, merge_shelf, merge_table
from deepmt.export.folder import replacing_folder
from deepmt.files import write_text
from deepmt.results.record_archive import one_line, parts
from deepmt.results.records import read_records
from deepmt.results.training_curves import read_course

ON_SHELF = ("params.csv", "speed.csv", "probes/*.csv")
BESIDE = ("corpora.csv", "significance/*.csv", "breakdowns/*.csv")
"""What records/ has no place for: it lies where tables of records/ alone are rendered."""


@dataclass(frozen=True, kw_only=True)
class Opened:
    """What was done, and what a reader must know before he trusts the tables."""

    made: Environment
    files: int
    size: int
    """Bytes of the files, which were all verified."""
    merges: tuple[Merge, ...]
    warnings: tuple[str, ...]


def open_crate(crate: Path, folder: Path, root: Path, *, replace: bool) -> Opened:
    """Unpack a crate to `folder`, which must not exist, and its records to those of a clone.

    Raises:
        ValueError: the crate is not as it was made, of another format or of an unknown scale, or
            the clone holds other values and `replace` is false. Then nothing at all was written.
    """
    if folder.exists():
        raise ValueError(f"{folder} is there already: remove it, or give another --folder")
    with replacing_folder(folder) as tree:
        files, size = extract(crate, tree)
        if not (tree / FILE).exists():
            raise ValueError(f"{crate} has no {FILE}: it is no crate of ours")
        made = read_environment(tree / FILE)
        plan = load_plan(root, {"scale": made.scale, "papers": "all", "rows": "all"})
        merges, refused = _merges(made, plan, tree, root)
        conflicts = [conflict for merge in merges for conflict in merge.conflicts]
        if conflicts and not replace:
            raise ValueError(
                "\n".join([*conflicts, "nothing was written: --replace takes the crate's"])
            )
        warnings = [*differences(made, tree, root), *refused]
    for merge in merges:
        if merge.changes:
            write_text(merge.path, merge.text)
    return Opened(
        made=made,
        files=files,
        size=size,
        merges=tuple(merges),
        warnings=tuple(warning.replace(str(tree), str(folder)) for warning in warnings),
    )


def _merges(
    made: Environment, plan: Plan, tree: Path, root: Path
) -> tuple[list[Merge], Sequence[str]]:
    """Every file of the clone that the crate has something for, and what tables would refuse."""
    records, refused = _records(made, plan, tree)
    courses, others = _courses(made, plan, tree)
    shelf, results = root / "records", tree / made.results
    merges = merge_shelf(shelf, made.scale, records)
    gone = {place for merge in merges for place in merge.replaced}
    merges += merge_shelf(shelf / "courses", made.scale, courses, gone)
    for pattern in ON_SHELF:
        # What the crate's own tables took: measured there, or else from its records/.
        found = {path.name: path for path in sorted((tree / "records").glob(pattern))}
        found |= {path.name: path for path in sorted(results.glob(pattern))}
        place = (shelf / pattern).parent
        merges += [merge_table(place / name, source) for name, source in found.items()]
    rendered = root / f"results/{made.scale}-records"
    for pattern in BESIDE:
        for source in sorted(results.glob(pattern)):
            merges.append(merge_table(rendered / source.relative_to(results), source))
    return merges, [f"left out: {reason}" for reason in (*refused, *others)]


def _records(made: Environment, plan: Plan, tree: Path) -> tuple[list[str], list[str]]:
    """Records that tables of this clone take, as lines of the shelf, and why not the others."""
    found = read_records(
        results=tree / made.results,
        shelf=tree / "records",
        specs=plan.specs.values(),
        scale=made.scale,
    )
    lines = dict(_candidates(made, tree, "record.json", tree / "records"))
    taken = [one_line(json.loads(lines[entry.place])) for entry in found.entries]
    return taken, [refusal.message for refusal in found.refusals]


def _courses(made: Environment, plan: Plan, tree: Path) -> tuple[list[str], list[str]]:
    """The same of courses."""
    known = {spec.sha256: spec.run for spec in plan.specs.values()}
    taken: dict[tuple[str, int], str] = {}
    refused = []
    for place, line in _candidates(made, tree, "course.json", tree / "records/courses"):
        try:
            course = read_course(line.encode(), known, made.scale)
        except ValueError as error:
            refused.append(f"{place}: {error}")
        else:
            taken.setdefault((course.run, course.seed), one_line(json.loads(line)))
    return list(taken.values()), refused


def _candidates(made: Environment, tree: Path, name: str, shelf: Path) -> Iterator[tuple[str, str]]:
    """Place and text of every record or course of a crate: those trained there come first."""
    for path in sorted((tree / made.results).glob(f"runs/*/seed*/{name}")):
        yield f"{path}:1", path.read_text(encoding="utf-8")
    for path in parts(shelf, made.scale):
        lines = enumerate(path.read_text(encoding="utf-8").split("\n"), 1)
        yield from ((f"{path}:{n}", line) for n, line in lines if line.strip())
