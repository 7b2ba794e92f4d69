"""Jobs from a spec to the record of each seed: as rules/{train,evaluate}.smk ask."""

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from deepmt.config.requested_splits import sets_asked_for
from deepmt.config.settings import Plan
from deepmt.config.spec import Spec, Training
from deepmt.estimate.graph import Job
from deepmt.estimate.text_jobs import encoded_set, manifest, raw


def run_jobs(plan: Plan, root: Path) -> Iterator[Job]:
    """Jobs of every seed of every run that this scale may need."""
    asked = sets_asked_for(plan)
    seeds_of_reverse = {
        spec.run: synthetic.seed
        for key, spec in plan.reverse.items()
        if (synthetic := plan.corpora.corpus(key).synthetic)
    }
    for run, spec in plan.every_run.items():
        folder = f"{plan.config.results}/runs/{run}"
        yield Job("resolve", f"{folder}/spec.json")
        seeds = [*plan.config.seeds, seeds_of_reverse.get(run, plan.config.seeds[0])]
        for seed in dict.fromkeys(seeds):
            place = f"{folder}/seed{seed}"
            sets = decoded_sets(spec, plan, [*asked.get(run, ()), *scored(root / place)])
            yield from seed_jobs(spec, seed, place, sets, plan)


def record(results: str, run: str, seed: int) -> str:
    """What marks a seed as finished."""
    return f"{results}/runs/{run}/seed{seed}/record.json"


def scored(folder: Path) -> list[str]:
    """What was scored before, of sets that are only scored when asked for."""
    return [name for name in ("train", "dev") if (folder / f"scores.{name}.json").exists()]


def decoded_sets(spec: Spec, plan: Plan, others: Sequence[str]) -> list[str]:
    """Sets that are translated: those that the scale names, and others."""
    there = plan.corpora.corpus(spec.data.corpus).split_names
    named = [name for name in plan.scale.decode if name in there]
    return list(dict.fromkeys([*named, *others]))


def points(recipe: Training) -> list[str]:
    """Below a seed's folder, folders of what is translated: its weights, or each checkpoint."""
    scored_apart = recipe.average_last if recipe.average == "scores" else 1
    return ["", *(f"/checkpoint{k}" for k in range(2, scored_apart + 1))]


def seed_jobs(spec: Spec, seed: int, folder: str, sets: Sequence[str], plan: Plan) -> Iterator[Job]:
    """From first weights to the record."""
    ids = manifest(spec.encoding)
    settings = f"{Path(folder).parent}/spec.json"
    init, outcome = f"{folder}/init.safetensors", f"{folder}/outcome.json"
    yield Job("initialise", init, (settings, ids))
    yield Job("train", outcome, (settings, ids, init), run=spec.run, seed=seed)
    for point in points(spec.training):
        yield Job("average", f"{folder}{point}/model.safetensors", (settings, outcome))
    scores = []
    for point, name in product(points(spec.training), sets):
        encoded = encoded_set(spec.encoding, name)
        model = f"{folder}{point}/model.safetensors"
        decoding = f"{folder}{point}/decoding.{name}.json"
        inputs = (settings, ids, encoded, model)
        yield Job("translate", decoding, inputs, run=spec.run, seed=seed, set=name)
        yield Job("score", f"{folder}{point}/scores.{name}.json", (encoded, decoding))
        scores += [decoding, f"{folder}{point}/scores.{name}.json"]
    synthetic = plan.corpora.corpus(spec.data.corpus).synthetic
    corpus = [raw(spec.data.corpus)] if synthetic else []
    yield Job("record", f"{folder}/record.json", (settings, ids, outcome, *scores, *corpus))
