#!/usr/bin/env bash
# Puts what `make gpu-check` needs into one folder. Usage: gpu_bundle.sh FOLDER
set -euo pipefail
bundle=$1
rm -rf "$bundle"
mkdir -p "$bundle"
cp target/wheels/pygpukit-*.whl "$bundle"
# In the wheel's profile, so that the crate's dependencies are built already.
for tests in conformance cuda; do
    cargo test --release --locked -p pygpukit-device --test $tests --no-run --message-format=json |
        sed -n 's/.*"kind":\["test"\].*"name":"'$tests'".*"executable":"\([^"]*\)".*/\1/p' |
        xargs -I{} cp {} "$bundle/$tests"
    strip "$bundle/$tests"
done
ls -lh "$bundle"
