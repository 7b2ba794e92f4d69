#!/usr/bin/env bash
# datasets reads a text column of JSON lines as dates, if every text looks like one: "2020-01-01" comes back as a datetime.
# Topic: text
# Packages: datasets==5.2.0
# Behaviour: load_dataset("json") makes a column of strings a column of timestamps if all strings of the first block are
#   dates such as 2020-01-01. The value is a datetime object. features= with Value("string") gives a string, and that
#   is "2020-01-01 00:00:00", which is not in the file. With one other text in the column it stays as it was.
# Why a good guess is wrong: a value in quotes is a string in JSON, and numbers in quotes stay strings here, too.
# Who meets it: challenge sets of dates and numbers, and columns of metadata: a tokeniser gets no string, or a score
#   compares "2020-01-01 00:00:00" with the reference. A set that is longer by one sentence is read otherwise.
# Source: datasets/packaged_modules/json/json.py, `_generate_tables` (pyarrow.json.read_json, which tries timestamps for
#   strings: documentation of Apache Arrow, reading JSON, automatic type inference).
# Remedy: Dataset.from_list([json.loads(line) for line in file]).
# Seen: dates: timestamp[s], 2020-01-01 00:00:00; with features: string, 2020-01-01 00:00:00; with one other text: 2020-01-01
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile datasets==5.2.0
cat > read.py <<'PYTHON'
import json

import datasets

datasets.disable_progress_bars()


def read(name, texts, **options):
    with open(f"{name}.jsonl", "w") as file:
        file.writelines(json.dumps({"source": text}) + "\n" for text in texts)
    data = datasets.load_dataset("json", data_files=f"{name}.jsonl", split="train", **options)
    found = data.features["source"].dtype, str(data[0]["source"])
    print(f"{name}: {found}")
    return found


dates = ["2020-01-01", "2021-12-31"]
text = datasets.Features({"source": datasets.Value("string")})
assert read("dates", dates) == ("timestamp[s]", "2020-01-01 00:00:00")
assert read("mixed", [*dates, "on 1 May 2020"]) == ("string", "2020-01-01")
assert read("numbers", ["2020", "2021"]) == ("string", "2020")
assert read("features", dates, features=text) == ("string", "2020-01-01 00:00:00")
assert datasets.Dataset.from_list([{"source": date} for date in dates])["source"][:] == dates
PYTHON
HF_HOME="$folder/home" HF_HUB_OFFLINE=1 bin/python read.py
