# `make` sets up .venv and regenerates the tables at the default scale; `make test` runs the tests.
PYTHON ?= python3
CORES ?= all
READY := .venv/.ready
# Relative, because make and the shell would read the characters of a path: "$(CURDIR)" is code in a
# folder called $(command). For the same reason nothing runs the scripts that pip writes.
WITH_VENV := PATH=".venv/bin:$$PATH"
PEERS ?= huggingface eole
# Modules of another Python, as a cluster may name them, are not for ours. Images of Python say not to keep compiled
# modules, and each of some hundred starts would compile them again.
unexport PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE

.PHONY: all text test test-all test-faults test-slurm bench check-gpu rehearse-gpu check check-oldest clean lock

# .snakemake/make is locked while a `make` runs. Beside Snakemake's locks lies the name of its host, which goes with
# them at the end and by `snakemake --unlock`: where it is left, make was killed, and nothing uses what is locked.
all: $(READY)
	@mkdir -p .snakemake/locks && exec 9> .snakemake/make || exit 1; trap : INT; \
	flock --nonblock --conflict-exit-code 3 9; case $$? in \
	0) grep -qsxF "$$(uname -n)" .snakemake/locks/make && rm .snakemake/locks/*.lock 2> /dev/null \
	     && echo "unlocked: make was killed here"; \
	   ls .snakemake/locks/*.lock > /dev/null 2>&1 || uname -n > .snakemake/locks/make ;; \
	3) echo "another make runs in this folder"; exit 1 ;; \
	*) echo "cannot lock .snakemake/make, as the line above says; start one make at a time here" ;; esac; \
	$(WITH_VENV) python -m snakemake --cores $(CORES); status=$$?; rm -f .snakemake/locks/make; exit $$status

test: $(READY)
	$(WITH_VENV) python -m pytest -n 2

# Your own text (docs/your-text.md): make text DIR=... DIRECTION=en-de HOURS=2 METHODS=post,pre NAME=...
# What is given reaches the script by the environment, unread by make and the shell: $5, `command`.
GIVEN := DIR DIRECTION HOURS METHODS NAME
unexport $(GIVEN)
$(foreach name,$(GIVEN),$(eval text: export TEXT_$(name) := $$(value $(name))))
text: $(READY)
	@$(WITH_VENV) python -m wings.text --text="$$TEXT_DIR" --direction="$$TEXT_DIRECTION" \
	  $${TEXT_HOURS:+--hours="$$TEXT_HOURS"} $${TEXT_METHODS:+--methods="$$TEXT_METHODS"} \
	  $${TEXT_NAME:+--name="$$TEXT_NAME"}

# With those that take long each, alone, for some ten minutes; without those of `make test-faults`.
test-all: $(READY)
	$(WITH_VENV) python -m pytest -n 2 -m "not fault"

test-faults: $(READY)
	$(WITH_VENV) python -m pytest -n 2 -m "slow or fault or not fault" tests/faults

# A real Slurm on this machine alone, for a quarter of an hour: needs root and Debian's packages.
test-slurm: $(READY)
	$(WITH_VENV) python -m pytest tests/slurm

# Ours beside PEERS, training and then decoding; then what PEERS do otherwise than docs/toolkits.md says. BENCH holds
# options of the first two, such as --rounds 3 (PYTHONPATH=workflow_scripts python -m bench.comparison -h).
bench: $(READY) $(PEERS:%=.bench/%/.ready)
	PYTHONPATH=workflow_scripts .venv/bin/python -m bench.comparison training --peers $(PEERS) $(BENCH)
	PYTHONPATH=workflow_scripts .venv/bin/python -m bench.comparison decoding --peers $(PEERS) $(BENCH)
	-PYTHONPATH=workflow_scripts .venv/bin/python -m bench.conventions

# On a machine with a GPU, some five minutes: right results, resumed runs, speed. CHECK_GPU holds options
# (PYTHONPATH=workflow_scripts:tests python -m bench.check_gpu -h).
check-gpu: $(READY)
	PYTHONPATH=workflow_scripts:tests .venv/bin/python -m bench.check_gpu $(CHECK_GPU)

# Many small runs on one GPU, here on a pretended one, with one killed and one late.
rehearse-gpu: $(READY)
	$(WITH_VENV) python -m pytest -m "" tests/device/test_gpu_blocks.py

# A peer that does not install says why and is left out; `make bench` tries it again.
.bench/%/.ready: envs/bench/%.txt
	rm -rf .bench/$*
	$(PYTHON) -m venv .bench/$*
	@torch=$$(grep '^torch==' $<); pip=".bench/$*/bin/python -m pip --disable-pip-version-check"; \
	if { test -z "$$torch" || $$pip install --quiet $$torch; } > .bench/$*/install.log 2>&1 \
	  && $$pip install --quiet --no-deps -r $< >> .bench/$*/install.log 2>&1; \
	then touch $@; else echo "$* is left out:"; grep '^ERROR' .bench/$*/install.log | tail -1; fi

check: $(READY)
	.venv/bin/python -m ruff check .
	.venv/bin/python -m ruff format --check .
	.venv/bin/python -m mypy
	.venv/bin/python -m snakefmt --check Snakefile rules
	$(WITH_VENV) python -m snakemake --lint

# The oldest Snakemake that the workflow takes, with nothing but pydantic: lint, and plan the default job.
check-oldest:
	$(PYTHON) -m venv --clear .bench/oldest
	.bench/oldest/bin/python -m pip install --quiet --disable-pip-version-check "$$(grep '^pydantic==' requirements.lock)" \
	  "$$(sed -n 's/^min_version("\(.*\)")/snakemake==\1.*/p' Snakefile)"
	.bench/oldest/bin/python -m snakemake --version
	.bench/oldest/bin/python -m snakemake --lint
	.bench/oldest/bin/python -m snakemake -n --cores 1 --quiet rules

# uv reads the same lock, where it is there: `make UV=` takes pip.
UV ?= $(shell command -v uv)
INSTALL = $(if $(UV),$(UV) pip install --quiet --python .venv/bin/python,.venv/bin/python -m pip install --quiet \
  --disable-pip-version-check)
# torch goes first and alone: an index with CPU builds then serves them for this exact version.
$(READY): requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; name one: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv .venv
	$(INSTALL) "$$(grep '^torch==' requirements.lock)"
	$(INSTALL) -r requirements.lock
	@# Scripts find deepmt here.
	@.venv/bin/python -c 'import site; print("../../../../workflow_scripts", \
	  file=open(site.getsitepackages()[0] + "/deepmt.pth", "w"))'
	touch $@

# First prints what the new releases change in a text; if any output differs, only AGREED=yes pins them.
lock: $(READY)
	rm -rf .bench/lock && mkdir -p .bench && cp -a .venv .bench/lock
	.bench/lock/bin/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"], \
	  sep="\n")' > .bench/required
	.bench/lock/bin/python -m pip install --quiet -r .bench/required
	.venv/bin/python -m bench.releases .venv/bin/python .bench/lock/bin/python || test "$(AGREED)" = yes
	.bench/lock/bin/python -m pip freeze --exclude-editable | sed 's/+cpu$$//' > requirements.lock

clean:
	rm -rf .snakemake logs results data
