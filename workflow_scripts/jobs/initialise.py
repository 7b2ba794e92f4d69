"""Initialise the weights of a run's seed, from which training starts."""

from pathlib import Path

import torch

from deepmt.base.cli import run
from deepmt.data.batches import TrainingBatches
from deepmt.data.dataset import Dataset
from deepmt.init.initialise import initialise_
from deepmt.model.build import build
from deepmt.model.weights import save_model
from deepmt.settings.spec import read_spec
from deepmt.settings.strict import Few, Seed


def main(*, spec: Path, dataset: Path, seed: Seed, output: Path, threads: Few = 1) -> None:
    """Draw the weights of a spec from the seed, and write init.safetensors."""
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    system = read_spec(spec)
    data = Dataset(dataset, system.data)
    model = build(system, *map(len, data.vocabularies))

    def first_batch() -> tuple[torch.Tensor, torch.Tensor]:
        batches = TrainingBatches.of(data.pair("train"), system.training, seed)
        batch = batches.batch(batches.epoch(0)[0][0])
        return batch.source, batch.target

    initialise_(model, system, first_batch)
    save_model(model, output)


if __name__ == "__main__":
    run(main)
