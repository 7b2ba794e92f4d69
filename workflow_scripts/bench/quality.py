"""What another toolkit makes of a run's text with its recipe and budget, beside our records.

JoeyNMT by its own commands, which means its model, initialisation, batches, optimiser and search.
It reads our subwords and vocabularies; sizes, updates, sentences an update, learning rate, dropout,
smoothing, the checkpoints to average and the beam are the run's.
"""

import json
import os
import subprocess
import time
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
import yaml

from bench.systems import interpreter
from deepmt.cli import parse
from deepmt.data.batches import TrainingBatches
from deepmt.data.encoded import EncodedPair
from deepmt.data.settings import load_settings, subwords, text_steps
from deepmt.data.subword import load_segmenter
from deepmt.data.tokeniser import Tokeniser
from deepmt.data.vocabulary import SPECIALS, Vocabulary
from deepmt.files import sha256, write_json, write_text
from deepmt.measure.scores import score_texts
from deepmt.measure.texts import read_texts
from deepmt.spec import Spec, Stack, from_json

PEER = "joeynmt"
ITS_OWN = (
    "initialisation; batches of as many sentences as ours have on average, of mixed lengths; one "
    "rate of dropout for all places; hypotheses divided by ((5 + length) / 6)^alpha"
)
"""What is not made alike."""


@dataclass(frozen=True, kw_only=True)
class Args:
    """Train JoeyNMT as a run was trained, translate the test set, and score it as ours was."""

    run: Path = field(metadata={"help": "results/<scale>/runs/<run>, with records to stand beside"})
    encoding: Path = field(metadata={"help": "data/encoded/<corpus>"})
    raw: Path = field(metadata={"help": "data/raw/<corpus>: the reference"})
    seed: int = 1
    threads: int = 1
    work: Path = Path("results/bench/quality")
    environments: Path = Path(".bench")
    output: Path = Path("results/bench/quality.json")


def main(args: Args) -> None:
    """Write both scores and how they came about.

    Raises:
        ValueError: the run has no record to stand beside; told before anything is trained.
    """
    spec = from_json((args.run / "spec.json").read_text())
    records = [json.loads(p.read_text()) for p in sorted(args.run.glob("seed*/record.json"))]
    if not records:
        raise ValueError(f"{args.run}: no seed*/record.json: let snakemake finish a seed first")
    peer = Peer(args, spec)
    seconds = peer.train()
    peer.average()
    write_json(
        args.output,
        {
            "run": args.run.name,
            "scale": records[0]["scale"],
            "peer": peer.version,
            "its_own": ITS_OWN,
            "peer_seed": args.seed,
            "peer_scores": peer.scores(),
            "peer_train_seconds": round(seconds),
            "our_scores": {record["seed"]: ours(record) for record in records},
            "our_throughput": {record["seed"]: record["throughput"] for record in records},
            "data": sha256(args.encoding / "manifest.json"),
            "configuration": peer.configuration(),
        },
    )


def ours(record: dict[str, Any]) -> dict[str, float]:
    """Scores of the test set, rounded like the peer's."""
    return {name: round(score["value"], 2) for name, score in record["scores"]["test"].items()}


@dataclass(frozen=True)
class Peer:
    """JoeyNMT in its environment."""

    args: Args
    spec: Spec

    @cached_property
    def folder(self) -> Path:
        """Where it works; a model of before is written over."""
        folder = self.args.work / f"{self.args.run.name}.seed{self.args.seed}"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    @property
    def settings(self) -> Path:
        """The file that its commands read."""
        return self.folder / "configuration.yaml"

    @cached_property
    def python(self) -> Path:
        """Of its environment.

        Raises:
            Unavailable: it is not installed.
        """
        return interpreter(PEER, self.args.environments)

    @property
    def version(self) -> str:
        """Its name and release."""
        code = "from importlib.metadata import version; print('JoeyNMT', version('joeynmt'))"
        return subprocess.run(
            [self.python, "-c", code], check=True, capture_output=True, text=True
        ).stdout.strip()

    def train(self) -> float:
        """Seconds that training took."""
        for language in self.languages:
            self.write_vocabulary(language)
            self.write_dev(language)
        write_text(self.settings, yaml.safe_dump(self.configuration(), sort_keys=False))
        began = time.monotonic()
        self.ask("train", "--skip-test")
        return time.monotonic() - began

    def average(self) -> None:
        """The mean of the weights of its last checkpoints, as ours are averaged."""
        model = self.folder / "model"
        steps = sorted(int(p.stem) for p in model.glob("*.ckpt") if p.stem.isdigit())
        kept = steps[-self.spec.training.average_last :]
        states = [torch.load(model / f"{step}.ckpt", weights_only=False) for step in kept]
        weights = [state["model_state"] for state in states]
        states[-1]["model_state"] = {
            name: torch.stack([each[name].double() for each in weights]).mean(0).to(value.dtype)
            for name, value in weights[-1].items()
        }
        torch.save(states[-1], self.folder / "averaged.ckpt")

    def scores(self) -> dict[str, float]:
        """BLEU and its like of the test set, de-tokenised and scored as ours is."""
        source, target = self.languages
        bpe = self.folder / "hyp.bpe"
        with (self.args.encoding / f"bpe/test.{source}").open() as text, bpe.open("w") as found:
            self.ask("translate", stdin=text, stdout=found)
        settings = load_settings(self.args.encoding / "data.json")
        segmenter = load_segmenter(subwords(settings), self.args.encoding, target)
        tokeniser = Tokeniser(text_steps(settings), target)
        words = [segmenter.undo(line) for line in bpe.read_text().splitlines()]
        tokenised, plain = self.folder / "hyp.tok.txt", self.folder / "hyp.txt"
        write_text(tokenised, "".join(f"{line}\n" for line in words))
        write_text(plain, "".join(f"{tokeniser.detokenise(line)}\n" for line in words))
        texts = read_texts(
            hypotheses=tokenised,
            detokenised=plain,
            reference=self.args.raw / f"test.{target}",
            tokenised_reference=self.args.encoding / f"tok/test.{target}",
            target_language=target,
        )
        return {name: round(score.value, 2) for name, score in score_texts(texts).items()}

    def ask(self, mode: str, *more: str, stdin: Any = None, stdout: Any = None) -> None:
        """Run one of its commands, with what it says in a log.

        Raises:
            subprocess.CalledProcessError: it failed.
        """
        threads = str(self.args.threads)
        with (self.folder / f"{mode}.log").open("w") as log:
            subprocess.run(
                [self.python, "-m", "joeynmt", mode, str(self.settings), *more],
                check=True,
                stdin=stdin,
                stdout=stdout or log,
                stderr=log,
                env=os.environ | {"OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads},
            )

    @property
    def languages(self) -> tuple[str, str]:
        """Source and target."""
        return self.spec.data.source, self.spec.data.target

    def write_vocabulary(self, language: str) -> None:
        """Our tokens; it puts its own special symbols first."""
        known = Vocabulary.load(self.args.encoding / f"vocab.{language}")
        words = known.tokens[len(SPECIALS) :]
        write_text(self.folder / f"vocab.{language}", "".join(f"{word}\n" for word in words))

    def write_dev(self, language: str) -> None:
        """One sentence: it translates its dev set at every checkpoint, which nothing here needs."""
        with (self.args.encoding / f"bpe/dev.{language}").open() as lines:
            write_text(self.folder / f"dev.{language}", next(lines))

    @cached_property
    def sentences(self) -> int:
        """How many a batch of ours has on average."""
        recipe = self.spec.training
        pair = EncodedPair(self.args.encoding / "ids", "train", *self.languages)
        batches = TrainingBatches(pair, recipe.batch_tokens, recipe.max_length, self.args.seed)
        return round(len(pair) / len(batches.epoch(0)))

    def configuration(self) -> dict[str, Any]:
        """As its commands read it."""
        recipe, decoding = self.spec.training, self.spec.decoding
        source, target = self.languages
        sides = {
            key: {
                "lang": language,
                "level": "word",  # the subwords lie there already
                "voc_file": str(self.folder / f"vocab.{language}"),
                "max_length": recipe.max_length,
            }
            for key, language in (("src", source), ("trg", target))
        }
        return {
            "name": self.spec.run,
            "model_dir": str(self.folder / "model"),
            "use_cuda": False,
            "random_seed": self.args.seed,
            "data": {
                "train": str(self.args.encoding / "bpe/train"),
                "dev": str(self.folder / "dev"),
                "dataset_type": "plain",
                **sides,
            },
            "testing": {
                "load_model": str(self.folder / "averaged.ckpt"),
                "beam_size": decoding.beam,
                "beam_alpha": decoding.alpha,
                "batch_size": 64,
                "batch_type": "sentence",
                "max_output_length": decoding.max_length,
                "eval_metrics": [],
            },
            "training": {
                "overwrite": True,
                "optimizer": "adamw",
                "adam_betas": [recipe.beta1, recipe.beta2],
                "scheduling": "warmupinversesquareroot",
                "learning_rate": recipe.lr,
                "learning_rate_warmup": recipe.warmup,
                "normalization": "tokens",
                "label_smoothing": recipe.label_smoothing,
                "batch_size": self.sentences,
                "batch_type": "sentence",
                "epochs": 1000,
                "updates": recipe.updates,
                "validation_freq": recipe.checkpoint_every,
                "logging_freq": recipe.checkpoint_every,
                "early_stopping_metric": "ppl",
                "keep_best_ckpts": 1000,
            },
            "model": {
                "initializer": "xavier_uniform",
                "embed_initializer": "xavier_uniform",
                "tied_embeddings": False,
                "tied_softmax": self.spec.model.tie == "target",
                "encoder": self.stack(self.spec.encoder),
                "decoder": self.stack(self.spec.decoder),
            },
        }

    def stack(self, size: Stack) -> dict[str, Any]:
        """Encoder or decoder."""
        dropout = self.spec.training.dropout
        return {
            "type": "transformer",
            "num_layers": size.layers,
            "num_heads": size.heads,
            "embeddings": {"embedding_dim": size.d_model, "scale": True, "dropout": dropout},
            "hidden_size": size.d_model,
            "ff_size": size.feed_forward,
            "dropout": dropout,
            "layer_norm": self.spec.method.norm,
            "activation": "relu",
        }


if __name__ == "__main__":
    main(parse(Args))
