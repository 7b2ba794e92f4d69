"""Initialise the weights of a run's seed, from which training starts."""

from dataclasses import dataclass
from pathlib import Path

import torch

from deepmt.cli import run
from deepmt.config.spec import read_spec
from deepmt.data.batches import TrainingBatches
from deepmt.data.encoded import EncodedPair
from deepmt.data.vocabulary import Vocabulary
from deepmt.files import write_json
from deepmt.init.initialise import initialise_
from deepmt.model.build import build
from deepmt.model.weights import save_model


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write init.safetensors, and ADMIN's profile (empty for other methods) as JSON."""

    spec: Path
    dataset: Path
    seed: int
    output: Path
    profile: Path
    threads: int = 1


def main(args: Args) -> None:
    """Build the model of the spec and initialise its weights from the seed."""
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    spec = read_spec(args.spec)
    vocabularies = [Vocabulary.load(args.dataset / f"vocab.{x}") for x in spec.data.languages]
    model = build(spec, *map(len, vocabularies))

    def first_batch() -> tuple[torch.Tensor, torch.Tensor]:
        pair = EncodedPair(args.dataset / "ids", "train", *spec.data.languages)
        batches = TrainingBatches.of(pair, spec.training, args.seed)
        batch = batches.batch(batches.epoch(0)[0][0])
        return batch.source, batch.target

    profile = initialise_(model, spec, first_batch)
    save_model(model, args.output)
    write_json(args.profile, profile)


if __name__ == "__main__":
    run(main, Args)
