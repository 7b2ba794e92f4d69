#!/usr/bin/env bash
# comet-score computes with 16 bits since 2.2.5, also without a GPU: between 0.5 and 1 its scores are multiples of 1/2048.
# Topic: scores
# Packages: unbabel-comet==2.2.7, sacrecomet==1.0.1, pytorch-lightning==2.6.6, transformers==4.57.6, torch==2.13.0
# Behaviour: the command converts every model to float16 before it scores, and no option prevents it. The class (predict)
#   keeps the checkpoint's float32. So one checkpoint has two scores, and segments of the command tie in steps of
#   0.0005, though it prints four digits. sacreCOMET asks for the precision and offers fp32, which is then wrong.
# Why a good guess is wrong: float16 is taken for an option of GPUs; changes of 2.2.5 and 2.2.7 are minor by their number;
#   the signature that was made for such differences proposes the other precision.
# Who meets it: segment scores for filters, rankings and significance tests; comparisons of a command's score with a
#   class's, or with one of before 2.2.5.
# Source: comet/cli/score.py, score_command: model.half(); sacrecomet.py, get_version.
# Remedy: model.predict in Python, or unbabel-comet 2.2.4; `sacrecomet --precision fp16`.
# Seen: 200 of 200 scores of the command are multiples of 1/2048, 0 of the class's; |Comet2.2.7|fp32|.
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0 unbabel-comet==2.2.7 sacrecomet==1.0.1 pytorch-lightning==2.6.6 transformers==4.57.6 \
    setuptools==81.0.0 # the last one with pkg_resources, which torchmetrics 0.10.3 imports
cat > build.py <<'PYTHON'
import json
import random
from pathlib import Path

import pytorch_lightning
import torch
import yaml
from comet import load_from_checkpoint
from comet.models import RegressionMetric
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import XLMRobertaConfig, XLMRobertaModel, XLMRobertaTokenizerFast

torch.manual_seed(1)
pieces = ["<s>", "<pad>", "</s>", "<unk>", "▁", *map(chr, range(97, 123)), "<mask>"]
tokenizer = Tokenizer(models.Unigram([(piece, -1.0) for piece in pieces], unk_id=3))
tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
tokenizer.post_processor = processors.TemplateProcessing("<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
XLMRobertaTokenizerFast(tokenizer_object=tokenizer).save_pretrained("encoder")
config = XLMRobertaConfig(len(pieces), 32, 2, 2, 64, max_position_embeddings=514, type_vocab_size=1, initializer_range=0.2)
XLMRobertaModel(config, add_pooling_layer=False).save_pretrained("encoder")
model = RegressionMetric(pretrained_model=str(Path("encoder").absolute()), hidden_sizes=[16])
with torch.no_grad():  # scores around 0.75
    model.estimator.ff[-1].weight.mul_(0.1)
    model.estimator.ff[-1].bias.fill_(0.75)
trainer = pytorch_lightning.Trainer(accelerator="cpu", logger=False)
trainer.strategy.connect(model)
trainer.save_checkpoint("checkpoints/model.ckpt", weights_only=True)
Path("hparams.yaml").write_text(yaml.safe_dump(dict(model.hparams)))
random.seed(1)
texts = {}
for name in ("src", "mt", "ref"):
    texts[name] = [" ".join(random.choices(["dog", "house", "red", "runs"], k=5)) for _ in range(200)]
    Path(name).write_text("".join(f"{line}\n" for line in texts[name]))
model = load_from_checkpoint("checkpoints/model.ckpt")
samples = [dict(zip(texts, lines)) for lines in zip(*texts.values())]
Path("own.json").write_text(json.dumps(model.predict(samples, gpus=0, progress_bar=False).scores))
PYTHON
bin/python build.py
bin/comet-score --model checkpoints/model.ckpt -s src -t mt -r ref --gpus 0 --only_system --to_json scores.json
echo | bin/sacrecomet --model wmt22-comet-da --references 1 > signature
bin/python - <<'PYTHON'
import json

command = [one["COMET"] for one in json.load(open("scores.json"))["mt"]]
own = json.load(open("own.json"))
signature = open("signature").read().split("\n")[-2]
assert all(0.5 < score < 1 for score in command + own)
steps, others = (sum((score * 2048).is_integer() for score in scores) for scores in (command, own))
print(f"multiples of 1/2048: {steps} of {len(command)} by the command, {others} by the class")
print(f"different scores: {len(set(command))} and {len(set(own))}; {signature}")
assert steps == 200 and others < 20 and "|Comet2.2.7|fp32|" in signature
PYTHON
