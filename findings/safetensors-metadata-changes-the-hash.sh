#!/usr/bin/env bash
# Two safetensors files of the same tensors and the same metadata differ in their bytes, and so in their hash.
# Topic: workflow
# Packages: safetensors==0.8.0, numpy==2.4.6
# Behaviour: the entries of metadata are written in the order of a hash map with a random key. With four entries, a
#   hundred calls in one process give most of the 24 orders. With one entry or none, the bytes are the same each time;
#   so the tensors are (they are sorted).
# Why a good guess is wrong: the format is known as a plain, sorted and deterministic one, and json.dumps keeps an
#   order; a test with {"format": "pt"}, the usual metadata, finds nothing.
# Who meets it: checksums of checkpoints, caches by content, reproducible builds, deduplicating storage: a second run
#   that is equal to the last bit looks like another model.
# Source: safetensors' src/tensor.rs (metadata is a HashMap<String, String>); seen by its results.
# Remedy: one entry that holds all of it (json.dumps with sort_keys), or a hash of the tensors alone.
# Seen: no entry: 1 file, one entry: 1 file, four entries: more than 10 files of equal size in 100 calls
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile safetensors==0.8.0 numpy==2.4.6
bin/python - <<'PYTHON'
import numpy as np
from safetensors.numpy import save

tensors = {"b": np.ones(3, "float32"), "a": np.zeros(2, "float32"), "c": np.ones((2, 2), "float32")}
entries = {"format": "pt", "seed": "1", "step": "2", "rate": "3"}
files = [{save(tensors, metadata=m) for _ in range(100)} for m in (None, {"format": "pt"}, entries)]
none, one, four = map(len, files)
sizes = len({len(file) for file in files[2]})
more = "more than 10 files" if four > 10 else f"{four} files"
print(f"no entry: {none} file, one entry: {one} file, four entries: {more} of equal size in 100 calls")
raise SystemExit(not (none == one == sizes == 1 and four > 10))
PYTHON
