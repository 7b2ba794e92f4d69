#!/usr/bin/env bash
# safetensors 0.8.0 writes a transposed or sliced numpy array in the order of its memory: other numbers come back, without an error.
# Topic: models
# Packages: safetensors==0.8.0, and 0.7.0 for comparison (numpy==2.4.6)
# Behaviour: save and save_file of safetensors.numpy take the address of an array and its shape, and no longer its
#   strides. The matrix [[0, 1, 2], [3, 4, 5]] in Fortran order comes back as [[0, 3, 1], [4, 2, 5]]; every second
#   element of 0 .. 9 comes back as 0 .. 4. 0.7.0 wrote all of them rightly.
# Why a good guess is wrong: the documentation asks for contiguous tensors, and safetensors.torch refuses others with
#   an error; in numpy's module they were copied for years, and names, shapes and types of the file are right now,
#   too.
# Who meets it: conversions of models between toolkits, which are transpositions in numpy for the most part (Marian
#   and TensorFlow hold matrices as inputs x outputs), cut-off vocabularies, results of scipy and scikit-learn.
# Source: safetensors/numpy.py, _flatten (data_ptr, nbytes); issue 825 of safetensors, open.
# Remedy: numpy.ascontiguousarray for each array.
# Seen: 0.7.0: Fortran order True, transposed True, every second True
#   0.8.0: Fortran order False, transposed False, every second False
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
for version in 0.7.0 0.8.0; do
  python3 -m pip --python bin/python install -q --no-compile safetensors==$version numpy==2.4.6
  bin/python - <<'PYTHON' | tee -a seen
import numpy as np
from safetensors import __version__
from safetensors.numpy import load_file, save_file

matrix = np.arange(6, dtype="float32").reshape(2, 3)
arrays = {"Fortran order": np.asfortranarray(matrix), "transposed": matrix.T, "every second": np.arange(10)[::2]}
save_file(arrays, "arrays.safetensors")
loaded = load_file("arrays.safetensors")
equal = [f"{name} {np.array_equal(array, loaded[name])}" for name, array in arrays.items()]
print(f"{__version__}: {', '.join(equal)}")
PYTHON
done
grep -q "0.7.0: Fortran order True, transposed True, every second True" seen
grep -q "0.8.0: Fortran order False, transposed False, every second False" seen
