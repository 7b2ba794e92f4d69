# `make` sets up .venv and regenerates the tables at the default scale; `make test` runs the tests.
PYTHON ?= python3
CORES ?= all
READY := .venv/.ready

.PHONY: all test check clean lock

all: $(READY)
	PATH="$(CURDIR)/.venv/bin:$$PATH" snakemake --cores $(CORES)

test: $(READY)
	PATH="$(CURDIR)/.venv/bin:$$PATH" python -m pytest

check: $(READY)
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/snakefmt --check Snakefile rules
	PATH="$(CURDIR)/.venv/bin:$$PATH" snakemake --lint

# torch goes first and alone: an index with CPU builds then serves them for this exact version.
$(READY): requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; name one: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check "$$(grep '^torch==' requirements.lock)"
	.venv/bin/pip install --quiet --disable-pip-version-check -r requirements.lock
	touch $@

lock: $(READY)
	.venv/bin/pip install --quiet -r requirements.txt
	.venv/bin/pip freeze --exclude-editable | sed 's/+cpu$$//' > requirements.lock

clean:
	rm -rf .snakemake logs benchmarks results data
