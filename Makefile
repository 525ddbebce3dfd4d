# `make demo` and `make test` set up all they need in .venv. `make help` lists the rest.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WHEELS := target/wheels
# Crates that are published, in the order in which they depend on each other.
PUBLISHED := pygpukit-core pygpukit-ptx pygpukit-kernels pygpukit-device pygpukit
# Every file that the built package depends on.
SOURCES := $(shell find crates kernels python -type f \
	\( -name '*.rs' -o -name '*.py' -o -name '*.pyi' -o -name '*.cu' -o -name '*.cuh' -o -name '*.toml' \)) \
	Cargo.toml Cargo.lock pyproject.toml
export CARGO_TERM_PROGRESS_WHEN := never

.PHONY: help demo test rust-test python-test development lint fmt clippy ruff mypy stubtest docs \
	rust-examples package sdist bench soak-core gpu-bundle gpu-check clean

help:
	@sed -n 's/^\([a-z-]*\):.*# \(.*\)/\1\t\2/p' Makefile | expand -t 18

demo: $(VENV)/.installed # builds, installs, and runs examples/quickstart.py
	$(BIN)/python examples/quickstart.py

test: rust-test python-test # every Rust and Python test

rust-test: $(VENV)/.development # Rust tests and doc tests
	VIRTUAL_ENV="$(CURDIR)/$(VENV)" cargo test --workspace --locked

python-test: $(VENV)/.installed $(VENV)/.development # Python tests against the installed wheel
	$(BIN)/python -m pytest

development: $(VENV)/.development # the Python environment with all tools

lint: fmt clippy ruff mypy stubtest # all linters

fmt: # formatting of Rust
	cargo fmt --all --check

clippy: # Rust lints
	cargo clippy --workspace --all-targets --locked -- -D warnings

ruff: $(VENV)/.development # Python lints and formatting
	$(BIN)/ruff check
	$(BIN)/ruff format --check

mypy: $(VENV)/.development # Python types
	$(BIN)/mypy

stubtest: $(VENV)/.installed $(VENV)/.development # the stubs against the installed wheel
	$(BIN)/python -m mypy.stubtest pygpukit --allowlist tests/stubtest-allowlist.txt

docs: # Rust documentation
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

rust-examples: # the Rust examples: the core alone, and the CPU device
	cargo run --quiet --locked -p pygpukit-core --example core_only
	VIRTUAL_ENV="$(CURDIR)/$(VENV)" PYGPUKIT_DEVICE=cpu cargo run --quiet --locked -p pygpukit --example quickstart

# The crates are checked as they would be unpacked, against each other; nothing is published.
package: # the crates as they would be published
	cargo package --locked --allow-dirty $(PUBLISHED:%=-p %)

# Whether it builds at all, so without optimization, and in a target folder of its own: cargo
# would take what it built from the checkout for this one's.
sdist: $(VENV)/.development # the source distribution, and a wheel from it
	rm -rf target/sdist
	$(BIN)/maturin sdist --out target/sdist
	tar -xzf target/sdist/pygpukit-*.tar.gz -C target/sdist --strip-components=1
	cd target/sdist && CARGO_TARGET_DIR="$(CURDIR)/target/from-sdist" \
		"$(CURDIR)/$(BIN)/maturin" build --profile dev --locked --quiet --out wheels \
		--config 'profile.dev.package."*".opt-level=0' --interpreter "$(CURDIR)/$(BIN)/python"

bench: $(VENV)/.installed # costs of import, launch and allocation, and bandwidth
	cargo bench --workspace --locked --features pygpukit-core/simulator
	$(BIN)/python benches/overhead.py --wheel $(WHEELS)/pygpukit-*.whl --json target/overhead.json

# From another seed with SOAK_SEED=123.
soak-core: # some minutes of random events, all interleavings and deadlines of the core
	SOAK=1 cargo test --release --locked -p pygpukit-core --lib -- --nocapture \
		random_events_go_on every_interleaving misses

# A machine with a GPU may have neither cargo nor a network: it gets what is built here.
gpu-bundle: $(VENV)/.installed # the wheel and the conformance tests, built for `gpu-check`
	tools/gpu_bundle.sh target/gpu-bundle

gpu-check: # all that needs a GPU, from target/gpu-bundle
	tools/gpu_check.sh target/gpu-bundle $(or $(RESULTS),target/gpu-check)

# The wheel, in release mode.
$(VENV)/.installed: $(VENV)/.tools $(SOURCES)
	rm -rf $(WHEELS)
	$(BIN)/maturin build --release --locked --quiet --interpreter $(BIN)/python --out $(WHEELS)
	$(BIN)/pip install --quiet --force-reinstall --no-deps $(WHEELS)/pygpukit-*.whl
	touch $@

$(VENV)/.tools: pyproject.toml tools/preflight.sh
	tools/preflight.sh $(PYTHON)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check "pip>=25.1"
	$(BIN)/pip install --quiet --group run
	touch $@

$(VENV)/.development: $(VENV)/.tools
	$(BIN)/pip install --quiet --group dev
	touch $@

clean: # removes all that was built
	rm -rf target $(VENV)
