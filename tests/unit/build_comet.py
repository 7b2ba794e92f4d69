"""Build a small random checkpoint of COMET in a folder, with COMET's own classes and Python."""

import sys
from pathlib import Path

import pytorch_lightning
import torch
import yaml
from comet.models import RegressionMetric
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import XLMRobertaConfig, XLMRobertaModel, XLMRobertaTokenizerFast

SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]
PIECES = [*SPECIAL, "▁", *map(chr, range(33, 127)), "<mask>"]


def build(folder: Path) -> None:
    encoder = folder / "encoder"
    encoder.mkdir(parents=True)
    tokenizer = Tokenizer(models.Unigram([(piece, -1.0) for piece in PIECES], unk_id=3))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    ends = [("<s>", 0), ("</s>", 2)]
    tokenizer.post_processor = processors.TemplateProcessing("<s> $A </s>", special_tokens=ends)
    XLMRobertaTokenizerFast(tokenizer_object=tokenizer).save_pretrained(encoder)
    torch.manual_seed(1)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
    config = XLMRobertaConfig(
        len(PIECES), **sizes, num_attention_heads=2, max_position_embeddings=514, type_vocab_size=1
    )
    XLMRobertaModel(config, add_pooling_layer=False).save_pretrained(encoder)
    model = RegressionMetric(pretrained_model=str(encoder), hidden_sizes=[16], validation_data=[])
    trainer = pytorch_lightning.Trainer(accelerator="cpu", logger=False)
    trainer.strategy.connect(model)
    trainer.save_checkpoint(folder / "checkpoints/model.ckpt", weights_only=True)
    (folder / "hparams.yaml").write_text(yaml.safe_dump(dict(model.hparams)), encoding="utf-8")


if __name__ == "__main__":
    build(Path(sys.argv[1]).absolute())
