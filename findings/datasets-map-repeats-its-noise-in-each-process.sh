#!/usr/bin/env bash
# datasets' map with num_proc gives every process the same numpy random numbers: each part of the corpus gets the same noise.
# Topic: text
# Packages: datasets==5.2.0, numpy==2.4.6
# Behaviour: of ten lines mapped by two processes, lines 6 to 10 get the numbers of lines 1 to 5. random of Python's own
#   library gives ten different numbers; so does numpy with one process.
# Why a good guess is wrong: num_proc is there for speed, and the result of a map is the same as without it as a rule;
#   the loaders of torch seed their workers, and Python seeds its own generator in each process.
# Who meets it: synthetic noise, word dropout, masking and sampling of subword cuts by numpy over a large corpus: with 32
#   processes there are 32 copies of one pattern. np.random.seed before the call does not help.
# Source: datasets/arrow_dataset.py, `Dataset.map`: a Pool of multiprocess, forked on Linux (up to Python 3.13, where
#   fork is the default), without any seeding of numpy.
# Remedy: with_indices=True, and numpy.random.default_rng((seed, index)) for each line; or with_rank=True.
# Seen: two processes: 5 different numbers of 10; one process: 10; Python's random: 10
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile datasets==5.2.0 numpy==2.4.6
cat > noise.py <<'PYTHON'
import random, time

import datasets, numpy

datasets.disable_progress_bars()
lines = datasets.Dataset.from_dict({"text": [f"line {number}" for number in range(10)]})


def by_numpy(row):
    time.sleep(0.1)  # so that no process takes both parts
    return {"noise": float(numpy.random.random())}


def by_python(row):
    time.sleep(0.1)
    return {"noise": random.random()}


numpy.random.seed(7)
two = lines.map(by_numpy, num_proc=2, load_from_cache_file=False)["noise"][:]
one = lines.map(by_numpy, load_from_cache_file=False)["noise"][:]
own = lines.map(by_python, num_proc=2, load_from_cache_file=False)["noise"][:]
print("numpy, two processes:", [round(number, 3) for number in two])
print("different numbers:", *(len(set(numbers)) for numbers in (two, one, own)))
assert two[:5] == two[5:] and len(set(one)) == len(set(own)) == 10
PYTHON
HF_HOME="$folder/home" HF_HUB_OFFLINE=1 bin/python noise.py
