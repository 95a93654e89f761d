# Two commands: `make facts` and `make test`. Each sets up everything that it needs.

PYTHON ?= python3
CORES ?= $(shell nproc 2>/dev/null || echo 2)
BIN := .venv/bin
PUBLISHED := media/school/fused
export PATH := $(CURDIR)/$(BIN):$(PATH)

DOCUMENTS := README.md model/README.md kernels/README.md docs/counts.md docs/error-bound.md $(PUBLISHED)/transcript.md

.PHONY: facts test audit report lab spans shots bench lint

facts: .venv/ready  ## compute and publish every number, and show the main ones
	snakemake --cores $(CORES) --quiet rules host
	PYTHONPATH=workflow python -m fusedfacts.table $(PUBLISHED)

test: .venv/ready  ## all tests
	python -m pytest

audit: .venv/ready  ## recompute everything and compare it with what is published, replacing nothing
	snakemake --cores $(CORES) --quiet rules host --forceall results/manifest.json
	PYTHONPATH=workflow python -m fusedfacts.audit $(PUBLISHED) results/manifest.json
	PYTHONPATH=workflow python -m fusedfacts.quoting.spans $(PUBLISHED)/facts.json $(DOCUMENTS)

report: facts  ## one HTML file that needs nothing beside it: what was run, every fact, the pictures
	snakemake --report results/report.html

spans: .venv/ready  ## rewrite the numbers that documents quote from claims
	PYTHONPATH=workflow python -m fusedfacts.quoting.spans --write $(PUBLISHED)/facts.json $(DOCUMENTS)

shots: .venv/ready  ## every picture, scene of the film and state of the lab as PNG, for a person to look at
	PYTHONPATH=workflow python tests/shots.py
	PYTHONPATH=workflow python tests/page_shots.py

lab: .venv/ready  ## the lesson's page on this machine, at http://localhost:8000
	python -m http.server --bind 127.0.0.1 --directory $(PUBLISHED) 8000

bench: .venv/ready  ## measured figures, as ratios within one run
	PYTHONPATH=workflow python tests/benchmarks/bench.py

lint: .venv/ready  ## formatters, linters, types, the kernels' gate, the workflow's own linter
	ruff check . && ruff format --check . && mypy && PYTHONPATH=workflow python -m fusedfacts.shaders && snakefmt --check Snakefile workflow/rules && snakemake --lint

.venv/ready: requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "error: Python 3.11 or newer is needed; name one with: make PYTHON=python3.12")'
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { [ "$$(id -u)" = 0 ] && apt-get update && apt-get install -y python3-venv; } \
		|| { echo "error: Python cannot make virtual environments; run: sudo apt-get install python3-venv"; exit 2; }
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.txt
	@touch $@
