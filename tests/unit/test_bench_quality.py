"""HuggingFace's model is trained as the run was; what it makes of the text is its own."""

from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from deepmt.data.batches import TrainingBatches
from deepmt.data.encode_text import write_encoded
from deepmt.data.encoded import EncodedPair
from deepmt.data.vocabulary import SPECIALS, Vocabulary
from tiny import tiny_spec
from tiny_runs import write_manifest

SENTENCES = ["a b c", "b", "c a", "a a a b"] * 10
WORDS = Vocabulary([*SPECIALS, "a", "b", "c"])


@pytest.fixture(scope="module")
def quality() -> ModuleType:
    """It imports transformers, which takes seconds."""
    return import_module("bench.quality")


@pytest.fixture
def batches(tmp_path: Path) -> TrainingBatches:
    """Forty sentences that are their own translations."""
    for language in ("en", "de"):
        write_encoded(SENTENCES, WORDS, tmp_path / "ids", f"train.{language}")
    write_manifest(tmp_path)
    return TrainingBatches(EncodedPair(tmp_path / "ids", "train", "en", "de"), 60, 80, seed=1)


def test_the_peer_has_the_sizes_and_dropout_of_the_run(
    quality: ModuleType, batches: TrainingBatches
) -> None:
    spec = tiny_spec(encoder__layers=3, training__dropout=0.2, training__attention_dropout=0.0)
    config = quality.new_peer(spec, WORDS, WORDS, batches).model.config
    sizes = (config.encoder_layers, config.decoder_layers, config.encoder_ffn_dim, config.d_model)
    assert sizes == (3, 2, 32, 16)
    assert (config.vocab_size, config.decoder_vocab_size) == (6, 6)
    dropped = (config.dropout, config.attention_dropout, config.activation_dropout)
    assert dropped == (0.2, 0.0, 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_the_peer_learns_and_translates_every_sentence(
    quality: ModuleType, batches: TrainingBatches, norm: str
) -> None:
    spec = tiny_spec(
        method__norm=norm, training__updates=160, training__dropout=0.0, decoding__max_length=8
    )
    peer = quality.new_peer(spec, WORDS, WORDS, batches)
    peer.model.load_state_dict(quality.trained(peer.model, spec, batches))
    lines = ["b", "a a a b", "c a"]
    found = quality.translated(peer, spec, [WORDS.encode(line.split()) for line in lines])
    assert [len(ids) for ids in found] == [1, 4, 2]


@pytest.mark.parametrize(
    ("key", "option"), [("layer_aggregation", "dlcl"), ("initialisation", "ds_init")]
)
def test_a_method_that_the_peer_lacks_is_refused(
    quality: ModuleType, key: str, option: str
) -> None:
    quality.refuse_unknown(tiny_spec())
    with pytest.raises(ValueError, match=f"method.{key}={option} is not supported by other"):
        quality.refuse_unknown(tiny_spec(method__norm="pre", **{f"method__{key}": option}))
