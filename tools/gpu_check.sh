#!/usr/bin/env bash
# Everything that needs a GPU, from prebuilt parts: no cargo, no network.
# Needs python3 (3.10+) with NumPy, pytest, pytest-timeout, hypothesis, PyTorch and CuPy,
# and compute-sanitizer. Usage: gpu_check.sh BUNDLE RESULTS
set -uo pipefail
bundle=$(cd "$1" && pwd) && mkdir -p "$2" && results=$(cd "$2" && pwd) || exit 2
cd "$(dirname "$0")/.." || exit 2
python=${PYTHON:-python3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$python" -m pip install --quiet --no-deps --no-index --target "$scratch/site" \
    "$bundle"/pygpukit-*.whl || exit 2
export PYTHONPATH=$scratch/site PYTHONDONTWRITEBYTECODE=1 PYGPUKIT_DEVICE=cuda:0 python
# Where the conformance tests, which are not Python, find the compiler.
VIRTUAL_ENV=$("$python" -c 'import sys; print(sys.prefix)') && export VIRTUAL_ENV
log=$results/checks.log
summary=$results/summary.txt
: >"$log"
failed=0

# check NAME SECONDS COMMAND..: runs it with a time limit.
check() {
    local name=$1 limit=$2 started=$SECONDS verdict=passed output=$scratch/output
    shift 2
    timeout "$limit" "$@" >"$output" 2>&1 || {
        verdict="FAILED ($?)"
        failed=1
        printf '\n=== %s\n' "$name"
        tail -n 60 "$output"
    }
    { printf '\n=== %s\n' "$name" && cat "$output"; } >>"$log"
    printf '%-14s %-13s %4d s  %s\n' "$name" "$verdict" "$((SECONDS - started))" \
        "$(grep -E ' passed| failed|ERROR SUMMARY|RACECHECK SUMMARY|NumPy gives' "$output" | tail -n 1)" |
        tee -a "$summary"
}

sanitize() { # TOOL ARGUMENTS..
    local tool=$1
    shift
    PYGPUKIT_ALLOCATOR=direct compute-sanitizer --tool "$tool" --error-exitcode 9 \
        "$python" tests/gpu/sanitized.py "$@"
}
# The planted write must be reported, at the kernel that made it.
planted() {
    local output
    output=$(sanitize memcheck --plant 2>&1)
    echo "$output"
    grep -q 'Invalid __global__ write' <<<"$output" && grep -q '\bstore\b' <<<"$output"
}
export -f sanitize planted

nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader | tee "$summary"
check conformance 240 "$bundle/conformance"
# One at a time: a kernel that is held back holds back the loading of others.
check cuda 60 "$bundle/cuda" --test-threads=1
check pytest 180 "$python" -m pytest tests --ignore=tests/architecture -p no:cacheprovider -q
check quickstart 60 "$python" examples/quickstart.py
check memcheck 60 bash -c 'sanitize memcheck'
check planted-write 60 bash -c planted
check racecheck 60 bash -c 'sanitize racecheck'
check overhead 60 "$python" benches/overhead.py --wheel "$bundle"/pygpukit-*.whl \
    --json "$results/overhead.json"
sed -n '/^=== overhead/,$p' "$log"
echo
cat "$summary"
exit "$failed"
