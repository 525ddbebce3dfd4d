#!/usr/bin/env bash
# Everything that needs a GPU, from prebuilt parts: no cargo, no network.
# Needs python3 (3.10+) with NumPy, pytest, pytest-timeout, hypothesis, PyTorch and CuPy,
# and compute-sanitizer. Usage: gpu_check.sh BUNDLE RESULTS
set -uo pipefail
bundle=$(cd "$1" && pwd) && mkdir -p "$2" && results=$(cd "$2" && pwd) || exit 2
cd "$(dirname "$0")/.." || exit 2
python=${PYTHON:-python3}
site=$(mktemp -d)
trap 'rm -rf "$site"' EXIT
"$python" -m pip install --quiet --no-deps --no-index --target "$site" "$bundle"/pygpukit-*.whl || exit 2
export PYTHONPATH=$site PYTHONDONTWRITEBYTECODE=1 PYGPUKIT_DEVICE=cuda:0
failed=0
summary=$results/summary.txt
: >"$summary"

# check NAME SECONDS COMMAND..: runs it with a limit, its output in RESULTS/NAME.log.
check() {
    local name=$1 limit=$2 started=$SECONDS verdict=passed
    shift 2
    timeout "$limit" "$@" >"$results/$name.log" 2>&1 || { verdict="FAILED ($?)"; failed=1; }
    printf '%-14s %-14s %4d s  %s\n' "$name" "$verdict" "$((SECONDS - started))" \
        "$(grep -E 'passed|failed|ERROR SUMMARY|test result|gave what' "$results/$name.log" | tail -n 1)" |
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
    grep -q 'Invalid __global__ write' <<<"$output" && grep -q 'store' <<<"$output"
}
export -f sanitize planted
export python

nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader | tee -a "$summary"
check conformance 120 "$bundle/conformance"
check cuda 60 "$bundle/cuda"
check pytest 180 "$python" -m pytest tests --ignore=tests/architecture -p no:cacheprovider -q
check quickstart 60 "$python" examples/quickstart.py
check memcheck 90 bash -c 'sanitize memcheck'
check racecheck 90 bash -c 'sanitize racecheck'
check planted-write 60 bash -c planted
check overhead 90 "$python" benches/overhead.py --wheel "$bundle"/pygpukit-*.whl \
    --json "$results/overhead.json"
cat "$results/overhead.log"
for name in conformance cuda pytest quickstart memcheck racecheck planted-write overhead; do
    grep -q "^$name .*FAILED" "$summary" && { echo "--- $name"; tail -n 60 "$results/$name.log"; }
done
echo
cat "$summary"
exit "$failed"
