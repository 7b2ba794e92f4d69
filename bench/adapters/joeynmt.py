"""Run JoeyNMT: its configuration, model, loss and search."""

from importlib.metadata import version
from types import SimpleNamespace

import torch
from joeynmt.batch import Batch
from joeynmt.model import Model, build_model
from joeynmt.search import search as joeynmt_search
from joeynmt.transformer_layers import MultiHeadedAttention, PositionwiseFeedForward
from joeynmt.vocabulary import Vocabulary
from torch import Tensor, nn

from bench.adapters.torch_system import DROPOUT, LABEL_SMOOTHING, Tensors, trained, translating
from bench.worker import System, Task
from bench.workload import BEAM, BOS, EOS, FIRST_WORD, PAD, STEPS, UNK, Size

TOOLKIT = {"name": "JoeyNMT", "version": version("joeynmt")}


def vocabulary(size: Size) -> Vocabulary:
    """Return the vocabulary; special symbols have the workload's ids instead of JoeyNMT's."""
    symbols = SimpleNamespace(sep_token=None, lang_tags=[])
    for i, name in enumerate(("unk", "pad", "bos", "eos")):
        vars(symbols).update({f"{name}_token": f"<{name}>", f"{name}_id": i})
    built = Vocabulary([f"w{i}" for i in range(FIRST_WORD, size.vocabulary)], symbols)
    built.pad_index, built.unk_index, built.eos_index, built.bos_index = PAD, UNK, EOS, BOS
    return built


def stack(size: Size, layers: int) -> dict[str, object]:
    """Return the configuration of an encoder or a decoder."""
    return {
        "type": "transformer",
        "num_layers": layers,
        "num_heads": size.heads,
        "embeddings": {"embedding_dim": size.d_model, "scale": True, "dropout": DROPOUT},
        "hidden_size": size.d_model,
        "ff_size": size.feed_forward,
        "dropout": DROPOUT,
        "layer_norm": "post",
        "activation": "relu",
    }


def only_residual_dropout(model: nn.Module) -> None:
    """Set other dropout rates to 0, since JoeyNMT has one rate for all."""
    for module in model.modules():
        if isinstance(module, MultiHeadedAttention):
            module.dropout.p = 0.0
        elif isinstance(module, PositionwiseFeedForward):
            inner = next(m for m in module.pwff_layer if isinstance(m, nn.Dropout))
            inner.p = 0.0


def model_of(size: Size) -> Model:
    """Build JoeyNMT's own model."""
    configuration = {
        "initializer": "xavier_uniform",
        "embed_initializer": "xavier_uniform",
        "tied_embeddings": False,
        "tied_softmax": True,
        "encoder": stack(size, size.encoder_layers),
        "decoder": stack(size, size.decoder_layers),
    }
    return build_model(configuration, vocabulary(size), vocabulary(size))


def train(task: Task) -> System:
    """Train JoeyNMT's Model with its XentLoss."""
    model = model_of(task.size)
    model.loss_function = ("crossentropy", LABEL_SMOOTHING)
    only_residual_dropout(model)

    def loss(batch: Tensors) -> Tensor:
        total, *_ = model(
            return_type="loss",
            src=batch.source,
            src_length=batch.source_lengths,
            src_mask=(batch.source != PAD).unsqueeze(1),
            trg_input=batch.decoder_input,
            trg=batch.target,
            trg_mask=(batch.target != PAD).unsqueeze(1),
        )
        return total / batch.target_lengths.sum()

    return trained(model, loss, task, **TOOLKIT)


def decode(task: Task) -> System:
    """Translate by its search, which has no key-value cache: each step reads the whole prefix."""
    task.only("float32")
    model = model_of(task.size).to(task.device).eval()

    def search(source: Tensor, lengths: Tensor) -> list[list[int]]:
        batch = Batch(
            src=source,
            src_length=lengths,
            src_prompt_mask=None,
            trg=None,
            trg_prompt_mask=None,
            indices=torch.arange(len(source)),
            device=torch.device(task.device),
            pad_index=PAD,
            eos_index=EOS,
            is_train=False,
        )
        lengths_forced = {"max_output_length": STEPS, "min_output_length": STEPS}
        found, _, _ = joeynmt_search(model, batch, beam_size=BEAM, beam_alpha=0.0, **lengths_forced)
        return found.tolist()

    return translating(model, search, task, **TOOLKIT)
