#!/bin/sh
# Says what is missing before anything is built. Usage: preflight.sh PYTHON
python=$1
root=$(cd "$(dirname "$0")/.." && pwd)
fail() { echo "pygpukit: $1" >&2; exit 1; }
older() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" != "$2" ]; }

command -v "$python" >/dev/null 2>&1 ||
    fail "\`$python\` not found; install Python 3.10 or later, or name one: make PYTHON=/path/to/python3"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    fail "\`$python\` is $("$python" -V 2>&1); Python 3.10 or later is needed: make PYTHON=/path/to/python3"
"$python" -c 'import venv, ensurepip' 2>/dev/null ||
    fail "\`$python\` has no venv module; install it (Debian: apt install python3-venv)"
command -v cc >/dev/null 2>&1 ||
    fail "no C compiler: Rust needs \`cc\` to link; install one (Debian: apt install gcc libc6-dev)"
command -v cargo >/dev/null 2>&1 ||
    fail "no \`cargo\`; install Rust from https://rustup.rs"
needed=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$root/Cargo.toml")
found=$(cargo --version | sed 's/^cargo \([0-9.]*\).*/\1/')
older "$found" "$needed" &&
    fail "cargo $found is too old, $needed or later is needed; run: rustup update"
exit 0
