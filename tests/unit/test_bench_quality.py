"""A peer is trained as the run was; what it makes of the text is its own."""

from pathlib import Path

import pytest
import torch

from bench.quality import Args, Peer
from deepmt.data.encoded import write_encoded
from deepmt.data.vocabulary import SPECIALS, Vocabulary
from deepmt.spec import Spec, read

SENTENCES = ["a b c", "b", "c a", "a a a b"] * 10


@pytest.fixture
def peer(tmp_path: Path) -> Peer:
    """JoeyNMT for a small run over forty sentences."""
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
    args = Args(run=tmp_path / "run", encoding=encoding, raw=tmp_path, work=tmp_path / "work")
    return Peer(args, spec())


def spec() -> Spec:
    """A run whose every setting differs from what a toolkit would take by itself."""
    found, problems = read(
        {
            **{f"{stack}.{key}": value for stack in ("encoder", "decoder") for key, value in
               {"layers": 3, "d_model": 24, "feed_forward": 40, "heads": 4}.items()},
            "data.corpus": "forty", "data.source": "en", "data.target": "de",
            "training.updates": 77, "training.warmup": 11, "training.lr": 3e-3,
            "training.batch_tokens": 20, "training.dropout": 0.2, "training.checkpoint_every": 7,
            "training.average_last": 2, "training.label_smoothing": 0.15, "decoding.beam": 3,
        }
    )  # fmt: skip
    assert found is not None, problems
    return found


def test_a_peer_has_the_sizes_recipe_and_budget_of_the_run(peer: Peer) -> None:
    asked = peer.configuration()
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


def test_its_batches_hold_as_many_sentences_as_ours_on_average(peer: Peer) -> None:
    # 20 padded tokens: four of "a a a b" and its end, ten of "b", six of "c a", five of "a b c".
    assert peer.sentences == round(40 / (3 + 1 + 2 + 2)) == 5


def test_it_reads_our_tokens_and_has_special_symbols_of_its_own(peer: Peer) -> None:
    peer.write_vocabulary("de")
    assert (peer.folder / "vocab.de").read_text().split() == ["a", "b", "c"]


def test_its_last_checkpoints_are_averaged_like_ours(peer: Peer) -> None:
    model = peer.folder / "model"
    model.mkdir()
    for step, value in ((7, 100.0), (63, 1.0), (70, 2.0)):
        state = {"model_state": {"w": torch.tensor([value])}, "steps": step}
        torch.save(state, model / f"{step}.ckpt")
    peer.average()
    averaged = torch.load(peer.folder / "averaged.ckpt")
    assert averaged["model_state"]["w"].tolist() == [1.5]
