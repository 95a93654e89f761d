# Two commands: `make facts` and `make test`. Each sets up everything that it needs.

PYTHON ?= python3
CORES ?= $(shell nproc 2>/dev/null || echo 2)
BIN := .venv/bin
PUBLISHED := media/school/fused
export PATH := $(CURDIR)/$(BIN):$(PATH)
# A linked .venv knows the library of the clone in which it was made.
export PYTHONPATH := $(CURDIR)/workflow$(if $(PYTHONPATH),:$(PYTHONPATH))
# They would send packages elsewhere, or ask for other ones than the lock's, or for none.
unexport PIP_BUILD_CONSTRAINT PIP_CONSTRAINT PIP_DRY_RUN PIP_NO_DEPS PIP_PREFIX PIP_PYTHON PIP_REQUIREMENT PIP_ROOT PIP_TARGET PIP_USER PYTHONHOME

DOCUMENTS := README.md model/README.md kernels/README.md $(wildcard docs/*.md)

.PHONY: facts test test-slow audit report lab docs spans shots bench lint

facts: .venv/ready  ## compute and publish every number, and show the main ones
	@snakemake --cores $(CORES) || { code=$$?; \
		echo 'run `.venv/bin/fusedfacts doctor`: it says what is in the way' >&2; exit $$code; }
	@python -m fusedfacts.publishing.summary $(PUBLISHED)

TESTS := python -m pytest --numprocesses $(CORES) --dist loadgroup
test: .venv/ready  ## every property, within minutes
	$(TESTS) -m "not slow"

test-slow: .venv/ready  ## whole grids, builds and kills
	$(TESTS) -m slow

audit: .venv/ready  ## build everything afresh and compare it with what is published, replacing nothing
	fusedfacts audit --full

report: facts  ## one HTML file that needs nothing beside it: what was run, every fact, the pictures
	snakemake --report results/report.html

spans: .venv/ready  ## rewrite the numbers that documents quote from claims
	python -m fusedfacts.prose.spans --write $(PUBLISHED)/facts.json $(DOCUMENTS)

shots: .venv/ready  ## every picture, scene of the film and state of the lab as PNG, for a person to look at
	PYTHONPATH=tests python -m support.shots
	PYTHONPATH=tests python -m support.page_shots

lab: .venv/ready  ## the lesson's page on this machine, at http://localhost:8000
	python -m http.server --bind 127.0.0.1 --directory $(PUBLISHED) 8000

SITE := results/docs
docs: .venv/docs  ## the documents and the library's docstrings as a site, in which no link is broken
	@sphinx-build --quiet --fail-on-warning --fresh-env -d results/.docs -c docs . $(SITE)
	@echo $(SITE)/index.html

bench: .venv/ready  ## measured figures, as ratios within one run
	python tests/benchmarks/bench.py

# One target a tool; .pre-commit-config.yaml runs the same ones.
LINTERS := lint-ruff lint-format lint-types lint-page lint-kernels lint-snakefiles lint-workflow lint-numbers
.PHONY: $(LINTERS)
lint: $(LINTERS)  ## formatters, linters, types, the kernels' gate, the workflow's own linter, quoted numbers
$(LINTERS): .venv/ready
lint-ruff:
	ruff check .
lint-format:
	ruff format --check .
lint-types:
	mypy
# deno has the TypeScript compiler, which checks the page's scripts by their JSDoc types (deno.json).
lint-page:
	deno lint && deno check workflow/page/js
lint-kernels:
	python -m fusedfacts.kernels.lint
lint-snakefiles:
	snakefmt --check Snakefile workflow/Snakefile workflow/rules
lint-workflow:
	snakemake --lint
lint-numbers:
	python -m fusedfacts.prose.spans $(PUBLISHED)/facts.json $(DOCUMENTS)

# Its scripts know the path of .venv, so one that was moved or copied with its clone breaks or runs
# the other clone's library. The stamp records the folder; an older, empty one says nothing.
MADE_IN := $(shell cat .venv/ready 2>/dev/null)
ifneq ($(MADE_IN),)
ifneq ($(MADE_IN),$(CURDIR))
MOVED := moved
endif
endif

.PHONY: moved
moved:
	@echo ".venv was made in $$(cat .venv/ready) and not here, so it is set up anew"

# To set up a link anew would be to clear another clone's environment.
ifneq ($(shell [ -L .venv ] && echo linked),)
.PHONY: .venv/ready
.venv/ready:
	@[ -e $@ ] || { echo "error: .venv: found a link to $$(readlink .venv) with nothing set up there, expected an environment; run: rm .venv" >&2; exit 2; }
	@echo ".venv is a link to $$(readlink .venv) and is used as it is; for this clone's own run: rm .venv"
.venv/docs: .venv/ready
	@$(BIN)/python -c 'import myst_parser' 2>/dev/null || { echo "error: .venv: found a link to an environment without Sphinx, expected one with it; run: rm .venv" >&2; exit 2; }
else
.venv/ready: requirements.txt $(MOVED)
	@case "$$(pwd -P)" in *[[:space:]\'\"\$$\`\&\;\(\)]*) \
		echo "error: $$(pwd -P): found a blank, a quote or a sign of the shell in the clone's path, in which Snakemake starts no job, expected none; rename the folder" >&2; exit 2;; esac
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "error: Python 3.11 or newer is needed; name one with: make PYTHON=python3.12")'
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { [ "$$(id -u)" = 0 ] && apt-get update && apt-get install -y python3-venv; } \
		|| { echo "error: Python cannot make virtual environments; run: sudo apt-get install python3-venv"; exit 2; }
	@echo "setting up .venv: $$(grep == requirements.txt | grep -cv sys_platform) packages, which takes minutes the first time"
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.txt
	@echo "setting up .venv: packages are there, installing this clone's library"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-index --no-deps --no-build-isolation --editable .
	@env -u PYTHONPATH $(BIN)/python -c 'import fusedfacts' || { echo "error: .venv: found an interpreter that does not start here, expected one that does; where the path has letters beyond ASCII run: export LC_ALL=C.UTF-8" >&2; exit 2; }
	@pwd -P > $@
	@[ ! requirements.txt -nt $@ ] || touch -r requirements.txt $@  # a date in the future
	@echo "setting up .venv: done"

# Beside the others, which it leaves as they are: both files name the same versions of what they share.
.venv/docs: requirements-docs.txt | .venv/ready
	@echo "setting up .venv: the packages of make docs"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements-docs.txt
	@touch $@
endif
