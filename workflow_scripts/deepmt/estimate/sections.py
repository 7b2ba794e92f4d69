"""The plan as sections for people: one function each."""

from collections.abc import Iterator

from deepmt.estimate.budget import RULE
from deepmt.estimate.downloads import Download
from deepmt.estimate.measured import NEAR, factors, share_near
from deepmt.estimate.outlook import Outlook
from deepmt.estimate.plan_memory import fit
from deepmt.estimate.section import Section
from deepmt.estimate.sharing import saved, shares
from deepmt.estimate.wording import few, hours, short, size, system

MOST_DOWNLOADS = 6
"""Archives that are named; the JSON has all."""


def sections(found: Outlook) -> Iterator[Section]:
    """Every section, in order."""
    yield heading(found)
    yield jobs(found)
    if found.downloads:
        yield downloads(found)
    yield space(found)
    yield runs(found)
    yield papers(found)
    yield wall(found)
    if found.budget:
        yield from budget(found)
    yield accuracy(found)


def heading(found: Outlook) -> Section:
    """What is counted, in what, and how far to believe it."""
    machines, config = found.machines, found.plan.config
    rows = len(found.plan.selected)
    seeds = ", ".join(map(str, config.seeds))
    return Section(
        title=f"Plan of the {found.plan.scale.name} scale on {machines.hardware.title}",
        notes=(
            f"{rows} rows of {', '.join(p.key for p in found.plan.papers)}; seeds {seeds};"
            f" {len(found.runs)} runs; {machines.count} "
            + ("GPUs" if machines.cuda else "cores")
            + f", {machines.of_a_run} a run",
            "Hours, memory and disk are estimates from each spec's arithmetic, not measurements.",
            *(f"{name}: {known}" for name, known in machines.hardware.basis.items()),
        ),
    )


def jobs(found: Outlook) -> Section:
    """Jobs by rule."""
    rules = found.rules
    every, left = (sum(counts[place] for counts in rules.values()) for place in (0, 1))
    return Section(
        title="Jobs",
        columns=("rule", ">jobs", ">done", ">left"),
        rows=[
            (rule, f"{every:,}", f"{every - left:,}", f"{left:,}")
            for rule, (every, left) in {**rules, "total": (every, left)}.items()
        ],
        notes=("Changes of code or settings that make Snakemake run a job again are not seen.",),
    )


def downloads(found: Outlook) -> Section:
    """Archives by state, the largest, and those that nobody can fetch."""
    by_state: dict[str, list[Download]] = {}
    for one in found.downloads:
        by_state.setdefault(one.state, []).append(one)
    largest = [
        f"{one.key} ({size(one.bytes)})" for one in by_state.get("to download", ()) if one.bytes
    ]
    own = [one.key for one in by_state.get("your own", ())]
    return Section(
        title="Downloads",
        columns=("archives that are", ">number", ">bytes known", ">of unknown size"),
        rows=[
            (
                state,
                str(len(archives)),
                size(sum(one.bytes or 0 for one in archives)),
                str(sum(one.bytes is None for one in archives)),
            )
            for state, archives in by_state.items()
        ],
        notes=(
            *([f"The largest: {', '.join(largest[:MOST_DOWNLOADS])}."] if largest else []),
            *([f"Licensed, see corpora.yaml: {', '.join(own)}."] if own else []),
        ),
    )


def space(found: Outlook) -> Section:
    """Disk by stage; nothing is deleted by itself, so that what stays is the peak."""
    stages = {stage.name: stage for stage in found.stages}
    rows = [(name, stage.here, stage.to_come) for name, stage in stages.items()]
    here = sum(stage.here for stage in found.stages)
    to_come = sum(stage.to_come for stage in found.stages)
    unknown = [one.key for one in found.downloads if one.bytes is None]
    spare = stages["checkpoints"].bytes + stages["archives"].bytes
    return Section(
        title="Disk",
        columns=("stage", ">here", ">to come (estimate)", ">in the end"),
        rows=[
            (name, size(there), size(coming), size(there + coming))
            for name, there, coming in [*rows, ("total", here, to_come)]
        ],
        notes=(
            "Nothing is deleted by itself: the peak is what stays. Once all is recorded, resume/ of"
            f" every seed and the archives may go, and {size(here + to_come - spare)} stay.",
            *([f"{len(unknown)} archives of unknown size are left out."] if unknown else []),
        ),
    )


def runs(found: Outlook) -> Section:
    """Every run, the costliest first."""
    return Section(
        title=f"Runs, {found.machines.unit} left (estimate)",
        columns=("rows", "system", ">updates", ">size", ">FLOPs", ">hours", ">memory"),
        rows=[
            (
                few(run.use.rows),
                system(run.spec),
                short(run.spec.training.updates),
                short(run.cost.parameters),
                f"{run.cost.train_flops:.1e}".replace("e+", "e"),
                hours(run.hours),
                fit(run),
            )
            for run in found.runs.values()
        ],
        notes=(
            "FLOPs are of one seed's training; hours of all seeds left, translations included.",
            f"Memory is that of one update, {memory_of(found)}; /4: it fits in 4 micro-batches, to"
            " which the trainer comes by itself; --recompute saves more.",
        ),
    )


def memory_of(found: Outlook) -> str:
    """What an update has."""
    machines = found.machines
    room = f"{machines.hardware.memory_mb / 1024:,.0f} GB"
    return f"of {room} on each GPU" if machines.cuda else f"of {room}"


def papers(found: Outlook) -> Section:
    """What they cost, and what they share."""
    parts = shares(found.runs, [paper.key for paper in found.plan.papers])
    shared = sum(len(run.use.papers) > 1 for run in found.runs.values())
    return Section(
        title=f"Papers, {found.machines.unit} left (estimate)",
        columns=("paper", ">rows", ">runs", ">shared", ">hours alone"),
        rows=[
            (part.paper, str(part.rows), str(part.runs), str(part.shared), hours(part.hours))
            for part in parts
        ]
        + [("all", str(sum(p.rows for p in parts)), str(len(found.runs)), "", hours(found.hours))],
        notes=(
            f"Runs that serve more than one paper: {shared}; that saves {hours(saved(found.runs))}"
            f" {found.machines.unit}.",
        ),
    )


def wall(found: Outlook) -> Section:
    """How long it takes on what there is."""
    whole = found.schedule
    rows = [("everything", hours(found.hours), hours(whole.hours), hours(whole.least))]
    if found.budget:
        kept = found.kept
        rows += [
            (
                "what the budget keeps",
                hours(found.budget.hours),
                hours(kept.hours),
                hours(kept.least),
            )
        ]
    return Section(
        title=f"Wall time, runs at a time: {found.machines.at_once} (estimate)",
        columns=("", f">{found.machines.unit}", ">hours", ">at least"),
        rows=rows,
        notes=(
            "The longest seeds first; no schedule beats the longest way or the total shared out."
            f" On top come {hours(found.text_hours)} core hours of text stages, tables, and time in"
            " queues.",
        ),
    )


def budget(found: Outlook) -> Iterator[Section]:
    """What fits, what is dropped, and what the report then lacks."""
    asked, unit = found.budget, found.machines.unit
    assert asked is not None
    yield Section(
        title=f"Budget: {len(asked.kept)} of {len(asked.choices)} runs fit into"
        f" {hours(asked.limit)} {unit} ({hours(asked.hours)} used)",
        columns=("", "rows", "system", ">hours", ">a cell"),
        rows=[
            (
                "keep" if choice.kept else "drop",
                few(found.runs[choice.run].use.rows),
                system(found.runs[choice.run].spec),
                hours(choice.hours),
                hours(choice.hours_a_cell),
            )
            for choice in sorted(asked.choices, key=lambda choice: not choice.kept)
        ],
        notes=(RULE, "The last that is kept is the next to drop."),
    )
    yield Section(
        title="What the report then lacks",
        columns=("table", ">rows lost", ">of"),
        rows=[(name, str(gone), str(of)) for name, (gone, of) in asked.tables.items()],
        notes=(f"Claims that lose a row: {', '.join(asked.claims) or 'none'}.",),
    )


def accuracy(found: Outlook) -> Section:
    """Predicted against real."""
    known = found.measured
    unit = "Seeds trained on such hardware"
    if not known:
        return Section(
            title="Predicted against real", notes=(f"{unit}: none yet, so nothing is corrected.",)
        )
    scaled = ", ".join(f"{name} {value:.2f}" for name, value in factors(known).items())
    return Section(
        title="Predicted against real, training",
        columns=("run", ">seed", ">predicted s", ">real s", ">ratio"),
        rows=[
            (
                one.run,
                str(one.seed),
                f"{one.predicted:,.0f}",
                f"{one.real:,.0f}",
                f"{one.ratio:.2f}",
            )
            for one in known
        ],
        notes=(
            f"{unit}: {len(known)}; {share_near(known):.0%} within {NEAR - 1:.0%}.",
            f"Predictions of what is not yet run are multiplied by the median ratio: {scaled}.",
        ),
    )
