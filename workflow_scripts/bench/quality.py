"""What another toolkit makes of a run's text with its recipe and budget, beside our records."""

import json
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch

from bench.systems import ROOT
from bench.toolkits.huggingface import HuggingFace
from bench.toolkits.joeynmt import JoeyNMT
from bench.toolkits.order import Order, Toolkit
from deepmt.cli import parse
from deepmt.config.data_settings import load_settings, subwords, text_steps
from deepmt.config.spec import Init, Method, Spec, from_json
from deepmt.data.subword import load_segmenter
from deepmt.data.tokeniser import Tokeniser
from deepmt.files import commit, sha256, write_json, write_text
from deepmt.metrics.scored_texts import read_texts
from deepmt.metrics.scores import Score, score_texts
from deepmt.train.history import hardware

TOOLKITS: dict[str, type[Toolkit]] = {"joeynmt": JoeyNMT, "huggingface": HuggingFace}


@dataclass(frozen=True, kw_only=True)
class Args:
    """Train another toolkit as a run was trained, translate the test set, score it as ours was."""

    run: Path = field(metadata={"help": "results/<scale>/runs/<run>, with records to stand beside"})
    encoding: Path = field(metadata={"help": "data/encoded/<corpus>"})
    raw: Path = field(metadata={"help": "data/raw/<corpus>: the reference"})
    peer: str = field(default="joeynmt", metadata={"help": " or ".join(TOOLKITS)})
    seed: int = 1
    threads: int = 1
    work: Path = Path("results/bench/quality")
    environments: Path = Path(".bench")
    output: Path = Path("results/bench/quality.json")


def main(args: Args) -> None:
    """Write both scores and how they came about.

    Raises:
        ValueError: there is no such peer, it does not know the run's method, or the run has no
            record to stand beside; told before anything is trained.
    """
    spec = from_json((args.run / "spec.json").read_text())
    records = [json.loads(p.read_text()) for p in sorted(args.run.glob("seed*/record.json"))]
    if not records:
        raise ValueError(f"{args.run}: no seed*/record.json: let snakemake finish a seed first")
    order = order_of(args, spec)
    toolkit = toolkit_for(args.peer, order)
    began = time.monotonic()
    toolkit.train()
    seconds = time.monotonic() - began
    hypotheses = order.folder / "hyp.bpe"
    toolkit.translate(args.encoding / f"bpe/test.{spec.data.source}", hypotheses)
    found = scores_of(hypotheses, args, spec.data.target)
    write_json(
        args.output,
        {
            "commit": commit(ROOT),
            "hardware": hardware(torch.device("cpu")) | {"threads": args.threads},
            "run": args.run.name,
            "scale": records[0]["scale"],
            "peer": toolkit.version,
            "its_own": toolkit.its_own,
            "peer_seed": args.seed,
            "peer_scores": {name: round(score.value, 2) for name, score in found.items()},
            "signatures": {name: score.signature for name, score in found.items()},
            "peer_train_seconds": round(seconds),
            "our_scores": {record["seed"]: ours(record) for record in records},
            "our_throughput": {record["seed"]: record["throughput"] for record in records},
            "data": sha256(args.encoding / "manifest.json"),
            "configuration": toolkit.configuration(),
        },
    )


def order_of(args: Args, spec: Spec) -> Order:
    """What the peer is to do, in a folder of its own."""
    folder = args.work / f"{args.run.name}.{args.peer}.seed{args.seed}"
    folder.mkdir(parents=True, exist_ok=True)
    return Order(
        spec=spec,
        encoding=args.encoding,
        seed=args.seed,
        threads=args.threads,
        folder=folder,
        environments=args.environments,
    )


def toolkit_for(peer: str, order: Order) -> Toolkit:
    """The peer with its order.

    Raises:
        ValueError: there is no such peer, or it does not know the run's method.
    """
    if peer not in TOOLKITS:
        raise ValueError(f"--peer {peer}: no such toolkit; choose from {', '.join(TOOLKITS)}")
    toolkit = TOOLKITS[peer](order)
    method = order.spec.method
    standard = replace(method, norm="post") == Method() and order.spec.init.name == Init().name
    if not standard or method.norm not in toolkit.norms:
        raise ValueError(
            f"{order.spec.run}: {peer} knows the standard Transformer alone, with norm "
            f"{' or '.join(toolkit.norms)}: choose such a run"
        )
    return toolkit


def ours(record: dict[str, Any]) -> dict[str, float]:
    """Scores of the test set, rounded like the peer's."""
    return {name: round(score["value"], 2) for name, score in record["scores"]["test"].items()}


def scores_of(hypotheses: Path, args: Args, language: str) -> dict[str, Score]:
    """BLEU and its like of the test set, de-tokenised and scored as ours is."""
    settings = load_settings(args.encoding / "data.json")
    segmenter = load_segmenter(subwords(settings), args.encoding, language)
    tokeniser = Tokeniser(text_steps(settings), language)
    words = [segmenter.undo(line) for line in hypotheses.read_text().splitlines()]
    tokenised, plain = hypotheses.with_name("hyp.tok.txt"), hypotheses.with_name("hyp.txt")
    write_text(tokenised, "".join(f"{line}\n" for line in words))
    write_text(plain, "".join(f"{tokeniser.detokenise(line)}\n" for line in words))
    texts = read_texts(
        hypotheses=tokenised,
        detokenised=plain,
        reference=args.raw / f"test.{language}",
        tokenised_reference=args.encoding / f"tok/test.{language}",
        target_language=language,
    )
    return score_texts(texts)


if __name__ == "__main__":
    main(parse(Args))
