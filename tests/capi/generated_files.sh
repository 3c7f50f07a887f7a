#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The committed generated files are what capi/api.yaml gives, and the generator refuses a description with a hole.
set -eu
python=.venv/bin/python
[ -x "$python" ] && "$python" -c 'import yaml' 2>/dev/null || python=${PYTHON:-python3}
"$python" -c 'import yaml' || { echo "$python has no PyYAML: make setup"; exit 1; }
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=capi

"$python" -m generator --check
echo "generated files are up to date"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Each line: a change of the description by sed, and a word of the refusal.
refuses() {
  sed "$1" capi/api.yaml >"$work/api.yaml"
  if cmp -s capi/api.yaml "$work/api.yaml"; then echo "the change '$1' changes nothing"; exit 1; fi
  if "$python" -m generator --check --description "$work/api.yaml" >"$work/out" 2>&1; then
    echo "accepted: $1"; exit 1
  fi
  grep -q "$2" "$work/out" || { echo "'$1' is refused without '$2':"; cat "$work/out"; exit 1; }
}
refuses '0,/doc: The kind\|doc: Kind of engine\./s/doc: Kind of engine\./doc: ""/' 'documentation is empty'
refuses 's/slot: 12$/slot: 11/' 'slot 11 occurs twice'
refuses '0,/lifecycle: experimental/s//lifecycle: someday/' 'lifecycle'
refuses 's/type: handle stream, doc: The stream\./type: handle steam, doc: The stream./' 'steam'
refuses 's/{name: groups, type: int64/{name: groups, type: int32/' 'hidden padding'
refuses 's/blocking: true/blokking: true/' 'unknown key'
refuses 's/array: input_count, doc: Input tensors\./array: inputs_count, doc: Input tensors./' 'no parameter with length'
echo "incomplete descriptions are refused"
