# `make demo` and `make test` set up all they need in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Every file that the built package depends on.
SOURCES := $(shell find crates kernels python -type f \
	\( -name '*.rs' -o -name '*.py' -o -name '*.pyi' -o -name '*.cu' -o -name '*.cuh' -o -name '*.toml' \)) \
	Cargo.toml Cargo.lock pyproject.toml
export CARGO_TERM_PROGRESS_WHEN := never

.PHONY: demo test rust-test python-test lint docs package-check gpu-check bench clean

demo: $(VENV)/.installed
	$(BIN)/python examples/quickstart.py

test: rust-test python-test

rust-test: $(VENV)/.development
	cargo test --workspace --locked

python-test: $(VENV)/.installed $(VENV)/.development
	$(BIN)/python -m pytest

lint: $(VENV)/.installed $(VENV)/.development
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy python/pygpukit tests/typing examples
	$(BIN)/python -m mypy.stubtest pygpukit --allowlist tests/stubtest-allowlist.txt

docs:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

# The wheel, in release mode, installed with NVRTC for custom kernels.
$(VENV)/.installed: $(VENV)/.tools $(SOURCES)
	$(BIN)/maturin build --release --locked --quiet --interpreter $(BIN)/python --out target/wheels
	$(BIN)/pip install --quiet --force-reinstall --no-deps target/wheels/pygpukit-*.whl
	touch $@

$(VENV)/.tools: pyproject.toml
	tools/preflight.sh $(PYTHON)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check "pip>=25.1"
	$(BIN)/pip install --quiet --group run
	touch $@

$(VENV)/.development: $(VENV)/.tools
	$(BIN)/pip install --quiet --group dev
	touch $@

clean:
	rm -rf target $(VENV)
