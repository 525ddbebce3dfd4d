#!/usr/bin/env bash
# Puts what `make gpu-check` needs into one folder. Usage: gpu_bundle.sh FOLDER
set -euo pipefail
bundle=$1
rm -rf "$bundle"
mkdir -p "$bundle"
cp target/wheels/pygpukit-*.whl "$bundle"
# In the wheel's profile, so that the crate's dependencies are built already.
cargo test --release --locked -p pygpukit-device --test conformance --no-run --message-format=json |
    sed -n 's/.*"kind":\["test"\].*"name":"conformance".*"executable":"\([^"]*\)".*/\1/p' |
    xargs -I{} cp {} "$bundle/conformance"
strip "$bundle/conformance"
ls -lh "$bundle"
