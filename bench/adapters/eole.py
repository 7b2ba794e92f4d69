"""Run eole, the successor of OpenNMT-py: its model, loss and Translator (pre-norm)."""

from importlib.metadata import version
from typing import Any

import torch
from eole.config.run import TrainConfig
from eole.inputters.inputter import dict_to_vocabs
from eole.models.model import BaseModel, get_model_class
from eole.modules.transformer_mlp import MLP
from eole.utils.loss import LossCompute
from torch import Tensor

from bench.adapters.torch_system import DROPOUT, LABEL_SMOOTHING, Tensors, trained
from bench.worker import System, Task
from bench.workload import SPECIALS, Size

TOOLKIT = {"name": "eole", "version": version("eole")}
SPECIAL_NAMES = dict(
    zip(("pad_token", "unk_token", "eos_token", "bos_token"), SPECIALS, strict=True)
)


def config(task: Task) -> TrainConfig:
    """Return the configuration that its train program reads from YAML."""
    size = task.size
    model = {
        "architecture": "transformer",
        "encoder": {"encoder_type": "transformer", "layers": size.encoder_layers},
        "decoder": {"decoder_type": "transformer", "layers": size.decoder_layers},
        "hidden_size": size.d_model,
        "transformer_ff": size.feed_forward,
        "heads": size.heads,
        "add_qkvbias": True,
        "add_final_linear_bias": True,
        "add_ffnbias": True,
        "share_decoder_embeddings": True,
        "embeddings": {
            "word_vec_size": size.d_model,
            "position_encoding": True,
            "position_encoding_type": "SinusoidalInterleaved",
        },
    }
    training = {
        "dropout": [DROPOUT],
        "attention_dropout": [0.0],
        "label_smoothing": LABEL_SMOOTHING,
        "param_init_method": "xavier_uniform",
        "compute_dtype": "fp32",
        "gpu_ranks": [0] if task.device == "cuda" else [],
    }
    return TrainConfig(data={}, src_vocab="none", tgt_vocab="none", model=model, training=training)


def vocabularies_of(size: Size) -> dict[str, Any]:
    """Return the vocabularies of both sides."""
    return dict_to_vocabs({"src": size.words, "tgt": size.words, "specials": SPECIAL_NAMES})


def model_of(chosen: TrainConfig, vocabularies: dict[str, Any]) -> BaseModel:
    """Build eole's encoder-decoder with its first weights."""
    kind = get_model_class(chosen.model)
    return kind.for_training(chosen.model, vocabularies, chosen.training)


def train(task: Task) -> System:
    """Train eole's encoder-decoder by LossCompute."""
    chosen = config(task)
    vocabularies = vocabularies_of(task.size)
    model = model_of(chosen, vocabularies)
    for module in model.modules():
        if isinstance(module, MLP):
            module.dropout_1.p = 0.0
    compute = LossCompute.from_config(chosen, model, vocabularies)

    def loss(batch: Tensors) -> Tensor:
        # Its targets carry the start symbol.
        target = torch.cat([batch.decoder_input[:, :1], batch.target], dim=1)
        output, attention, _ = model(batch.source, target, batch.source_lengths)
        fields = {"tgt": target, "srclen": batch.source_lengths, "cid": (), "cid_line_number": ()}
        total, _, _ = compute(fields, output, attention)
        return total / batch.target_lengths.sum()

    return trained(model, loss, task, **TOOLKIT)
