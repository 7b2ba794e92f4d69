"""Call the classes of installed toolkits, and print what they do by default, a line of JSON each.

Needs the standard library, torch and the toolkits alone: environments of peers run this file.
"""

import json
import re
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

Cells = dict[str, Any]
TYPES, GOLD, PADDING = 10, 5, 1
DEVIATIONS = 0.02, 0.0255, 0.028, 0.031, 0.036, 0.044, 0.058, 0.0625
"""Standard deviations that the known ways to draw weights have."""


def smoothed(loss: Callable[[Tensor, Tensor], Tensor]) -> Cells:
    """Return the gold type's share of the target that the gradient points to, and the others'."""
    logits = torch.randn(1, TYPES, dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(loss(logits, torch.tensor([GOLD])), logits)
    target = (logits.softmax(-1) - gradient).detach()[0]
    others = int((target > 1e-6).sum()) - 1
    return {"gold_share": round(float(target[GOLD]), 3), "other_types": others}


def positions(first: Tensor, second: Tensor) -> Cells:
    """Return layout and lowest frequency of the vectors of positions 0 and 1, 8 wide."""
    halves = bool((first[:4] == 0).all())
    lowest = (second[:4] if halves else second[::2])[-1].log10()
    return {"layout": "halves" if halves else "pairs", "lowest_frequency": round(float(lowest))}


def deviations(**weights: Tensor) -> Cells:
    """Return the nearest known standard deviation of each matrix."""
    found = {name: float(weight.detach().std()) for name, weight in weights.items()}
    return {key: min(DEVIATIONS, key=lambda one: abs(one - is_)) for key, is_ in found.items()}


def transformers() -> Cells:
    """Call Marian's classes, the label smoother and the Trainer's arguments."""
    from transformers import MarianConfig, MarianMTModel, TrainingArguments
    from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding
    from transformers.trainer_pt_utils import LabelSmoother

    special = {"pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0}
    size = {"vocab_size": 1000, "d_model": 512, "encoder_ffn_dim": 2048, "decoder_ffn_dim": 2048}
    model = MarianMTModel(MarianConfig(**size, **special, encoder_layers=1, decoder_layers=1))
    layer = model.model.encoder.layers[0]
    table = MarianSinusoidalPositionalEmbedding(4, 8).create_weight()
    smoother, fields = LabelSmoother(0.1), TrainingArguments.__dataclass_fields__
    return {
        **smoothed(lambda x, y: smoother({"logits": x[None]}, y[None])),
        **positions(table[0], table[1]),
        **deviations(
            queries=layer.self_attn.q_proj.weight,
            feed_forward=layer.fc1.weight,
            target_embedding=model.model.decoder.embed_tokens.weight,
        ),
        "norm_epsilon": layer.self_attn_layer_norm.eps,
        "adam_epsilon": fields["adam_epsilon"].default,
        "beta2": fields["adam_beta2"].default,
        "clip": fields["max_grad_norm"].default,
    }


def eole() -> Cells:
    """Call the loss, and read fields of the configuration."""
    from eole.config.inference import DecodingConfig
    from eole.config.training import TrainingConfig
    from eole.utils.loss import LossCompute

    fields = DecodingConfig.model_fields | TrainingConfig.model_fields
    training = SimpleNamespace(**{key: one.default for key, one in fields.items()})
    training.label_smoothing, training.gpu_ranks = 0.1, []
    model = SimpleNamespace(decoder=None, generator_function="softmax")
    config = SimpleNamespace(training=training, model=model)
    types = {"specials": {}, "tgt": {"<blank>": PADDING, "<unk>": 0, "</s>": 3}}
    loss = LossCompute.from_config(config, SimpleNamespace(tgt_shift=1, generator=None), types)
    named = {"beam": "beam_size", "beta2": "adam_beta2", "adam_epsilon": "adam_eps"}
    named["clip"] = "max_grad_norm"
    return {
        **smoothed(loss.criterion),
        **{cell: fields[name].default for cell, name in named.items()},
    }


def joeynmt() -> Cells:
    """Call the loss, the positions and a layer."""
    from joeynmt.loss import XentLoss
    from joeynmt.transformer_layers import PositionalEncoding, TransformerEncoderLayer

    loss, table = XentLoss(pad_index=PADDING, smoothing=0.1), PositionalEncoding(8, 4).pe[0]
    return {
        **smoothed(lambda x, y: loss(x.log_softmax(-1)[None], trg=y[None])),
        **positions(table[0], table[1]),
        "norm_epsilon": TransformerEncoderLayer(8, 8, 1).layer_norm.eps,
    }


def ctranslate2() -> Cells:
    """Read the beam off the signature that its documentation shows."""
    documented = import_module("ctranslate2").Translator.translate_batch.__doc__
    return {"beam": int(re.findall(r"beam_size: int = (\d+)", documented)[0])}


def x_transformers() -> Cells:
    """Call XTransformer."""
    from x_transformers import XTransformer

    size = {"num_tokens": 1000, "depth": 1, "heads": 8, "max_seq_len": 8}
    sides = {f"{side}_{key}": value for side in ("enc", "dec") for key, value in size.items()}
    model = XTransformer(dim=512, **sides)
    weights = dict(model.encoder.named_parameters())
    [epsilon] = {one.eps for one in model.modules() if isinstance(one, nn.LayerNorm)}
    return {
        **deviations(
            queries=next(one for name, one in weights.items() if "to_q" in name),
            feed_forward=next(
                one for name, one in weights.items() if name.endswith("ff.0.0.weight")
            ),
            target_embedding=model.decoder.net.token_emb.emb.weight,
        ),
        "norm_epsilon": epsilon,
    }


PROBES: Mapping[str, tuple[str, Callable[[], Cells]]] = {
    "Transformers": ("transformers", transformers),
    "eole": ("eole", eole),
    "joeynmt": ("joeynmt", joeynmt),
    "CTranslate2": ("ctranslate2", ctranslate2),
    "x-transformers": ("x-transformers", x_transformers),
}
"""Toolkit -> its package, and what calls it."""


def main() -> None:
    """Print a line for each toolkit that is installed."""
    torch.manual_seed(1)
    for name, (package, probe) in PROBES.items():
        try:
            said: Cells = {"toolkit": name, "version": version(package)}
        except PackageNotFoundError:
            continue
        try:
            said["cells"] = probe()
        except Exception as error:  # A release that renames a class is a change, too.
            said["error"] = f"{type(error).__name__}: {error}"
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
