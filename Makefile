# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
EXAMS  ?= ../shared/exams

.PHONY: demo test check accuracy samples clean

$(VENV)/.base: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e .
	touch $@

$(VENV)/.dev: $(VENV)/.base
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev,ocr]'
	touch $@

demo: $(VENV)/.base
	$(BIN)/exam2bench demo -o build/demo

test: $(VENV)/.dev
	$(BIN)/pytest

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
