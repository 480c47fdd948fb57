#!/bin/sh
# What pre-commit runs: builds the linter of this checkout once, then checks the files it is given.
# (The language `rust` of pre-commit cannot install from a workspace without a package at its root.)
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
program="$root/target/release/aon-lint"
if [ ! -x "$program" ]; then
    # In that folder, because the toolchain is pinned there.
    (cd "$root" && cargo build --quiet --locked --release --target-dir "$root/target" --package aon-cli --bin aon-lint) >&2
fi
exec "$program" "$@"
