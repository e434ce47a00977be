# Two commands do everything on a fresh machine with Python 3.11 or newer:
#   make demo   own virtual environment, install, the main job on the bundled trained networks
#   make test   the same environment with the test tools, then style, types, doctests and tests
# and a third one writes the documentation:
#   make docs   docs/_build/html/index.html, without warnings, readable without a network
# and a fourth one opens the notebooks:
#   make notebooks
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: demo test lint bench docs notebooks clean

demo: $(VENV)/.installed
	$(BIN)/symfiber demo

test: lint
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/.tested
	$(BIN)/ruff check symfiber tests notebooks
	$(BIN)/ruff format --check symfiber tests
	$(BIN)/mypy symfiber

bench: $(VENV)/.tested
	for script in tests/benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

docs: $(VENV)/.documented
	rm -rf docs/_build
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html
	$(BIN)/python docs/check_build.py docs/_build/html

notebooks: $(VENV)/.taught
	$(BIN)/jupyter lab notebooks

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.tested: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	touch $@

$(VENV)/.documented: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable ".[docs]"
	touch $@

$(VENV)/.taught: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable ".[notebooks]"
	touch $@

clean:
	rm -rf $(VENV) build dist docs/_build docs/gallery/pictures .pytest_cache .mypy_cache .ruff_cache
