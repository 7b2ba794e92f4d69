"""Other toolkits are trained as the run was; what they make of the text is their own."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from bench.quality import TOOLKITS, toolkit_for
from bench.toolkits.huggingface import HuggingFace
from bench.toolkits.joeynmt import JoeyNMT
from bench.toolkits.order import Order
from deepmt.config.spec import Spec, read
from deepmt.data.encoded import write_encoded
from deepmt.data.vocabulary import SPECIALS, Vocabulary

SENTENCES = ["a b c", "b", "c a", "a a a b"] * 10


@pytest.fixture
def order(tmp_path: Path) -> Order:
    """A small run over forty sentences."""
    encoding = tmp_path / "encoding"
    (encoding / "ids").mkdir(parents=True)
    (encoding / "bpe").mkdir()
    words = Vocabulary([*SPECIALS, "a", "b", "c"])
    for language in ("en", "de"):
        words.save(encoding / f"vocab.{language}")
        for name in ("train", "dev"):
            path = encoding / f"bpe/{name}.{language}"
            path.write_text("".join(f"{line}\n" for line in SENTENCES))
            write_encoded(path, words, encoding / "ids", f"{name}.{language}")
    folder = tmp_path / "work"
    folder.mkdir()
    return Order(
        spec=spec(), encoding=encoding, seed=1, threads=1, folder=folder, environments=tmp_path
    )


def spec(**changes: object) -> Spec:
    """A run whose every setting differs from what a toolkit would take by itself."""
    found, problems = read(
        {
            **{f"{stack}.{key}": value for stack in ("encoder", "decoder") for key, value in
               {"layers": 3, "d_model": 24, "feed_forward": 40, "heads": 4}.items()},
            "data.corpus": "forty", "data.source": "en", "data.target": "de",
            "training.updates": 77, "training.warmup": 11, "training.lr": 3e-3,
            "training.batch_tokens": 20, "training.dropout": 0.2, "training.checkpoint_every": 7,
            "training.average_last": 2, "training.label_smoothing": 0.15, "decoding.beam": 3,
            **changes,
        }
    )  # fmt: skip
    assert found is not None, problems
    return found


def test_joeynmt_has_the_sizes_recipe_and_budget_of_the_run(order: Order) -> None:
    asked = JoeyNMT(order).configuration()
    assert asked["model"]["encoder"] == asked["model"]["decoder"]
    assert asked["model"]["encoder"]["num_layers"] == 3
    assert asked["model"]["encoder"]["ff_size"] == 40
    recipe = {
        "learning_rate": 3e-3,
        "learning_rate_warmup": 11,
        "updates": 77,
        "validation_freq": 7,
        "label_smoothing": 0.15,
    }
    assert recipe.items() <= asked["training"].items()
    assert asked["testing"]["beam_size"] == 3


def test_its_batches_hold_as_many_sentences_as_ours_on_average(order: Order) -> None:
    # 20 padded tokens: four of "a a a b" and its end, ten of "b", six of "c a", five of "a b c".
    assert JoeyNMT(order).sentences == round(40 / (3 + 1 + 2 + 2)) == 5


def test_it_reads_our_tokens_and_has_special_symbols_of_its_own(order: Order) -> None:
    JoeyNMT(order).write_vocabulary("de")
    assert (order.folder / "vocab.de").read_text().split() == ["a", "b", "c"]


def test_its_last_checkpoints_are_averaged_like_ours(order: Order) -> None:
    model = order.folder / "model"
    model.mkdir()
    for step, value in ((7, 100.0), (63, 1.0), (70, 2.0)):
        state = {"model_state": {"w": torch.tensor([value])}, "steps": step}
        torch.save(state, model / f"{step}.ckpt")
    JoeyNMT(order).average()
    averaged = torch.load(order.folder / "averaged.ckpt")
    assert averaged["model_state"]["w"].tolist() == [1.5]


def test_huggingface_has_the_sizes_dropout_and_tokens_of_the_run(order: Order) -> None:
    asked = HuggingFace(order).configuration()
    sizes = {"encoder_layers": 3, "decoder_layers": 3, "decoder_ffn_dim": 40, "d_model": 24}
    assert sizes.items() <= asked.items()
    assert (asked["vocab_size"], asked["decoder_vocab_size"]) == (6, 6)
    dropped = {"dropout": 0.2, "attention_dropout": 0.0, "activation_dropout": 0.0}
    assert dropped.items() <= asked.items()


@pytest.mark.parametrize(
    ("peer", "changes", "said"),
    [
        ("fairseq", {}, "no such toolkit; choose from joeynmt, huggingface"),
        ("huggingface", {"method.norm": "pre"}, "with norm post: choose such a run"),
        ("joeynmt", {"method.norm": "pre", "method.inputs": "dlcl"}, "standard Transformer alone"),
        ("joeynmt", {"init.name": "ds_init"}, "standard Transformer alone"),
    ],
)
def test_what_a_peer_cannot_do_is_told_before_it_trains(
    order: Order, peer: str, changes: dict[str, object], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        toolkit_for(peer, replace(order, spec=spec(**changes)))


@pytest.mark.parametrize("peer", TOOLKITS)
def test_a_standard_transformer_is_taken(order: Order, peer: str) -> None:
    assert toolkit_for(peer, order).norms
