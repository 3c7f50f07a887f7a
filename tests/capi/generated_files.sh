#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The committed generated files are what capi/api gives, and the generator refuses a description with a hole.
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
  rm -rf "$work/api"
  cp -r capi/api "$work/api"
  sed -i "$1" "$work"/api/*.yaml
  if diff -rq capi/api "$work/api" >/dev/null; then echo "the change '$1' changes nothing"; exit 1; fi
  if "$python" -m generator --check --description "$work/api" >"$work/out" 2>&1; then
    echo "accepted: $1"; exit 1
  fi
  grep -q "$2" "$work/out" || { echo "'$1' is refused without '$2':"; cat "$work/out"; exit 1; }
}
refuses '0,/doc: Kind of engine\./s/doc: Kind of engine\./doc: ""/' 'documentation is empty'
refuses 's/slot: 12$/slot: 11/' 'slot 11 occurs twice'
refuses '0,/lifecycle: experimental/s//lifecycle: someday/' 'lifecycle'
refuses 's/type: handle stream, doc: The stream\./type: handle steam, doc: The stream./' 'steam'
refuses 's/{name: threads, type: int32, doc: Most threads a run uses/{name: threads, type: int64, doc: Most threads a run uses/' 'hidden padding'
refuses 's/blocking: true/blokking: true/' 'unknown key'
refuses 's/array: input_count, doc: Input tensors\./array: inputs_count, doc: Input tensors./' 'no parameter with length'
refuses 's/modules: \[base, log, tensor, engine,/modules: [base, log, engine, tensor,/' 'module engine names types of tensor'
refuses 's/modules: \[base, log,/modules: [base,/' 'log.yaml is not among the modules'
refuses 's/Errors: as @context_run;/Errors: as @context_ran;/' 'names @context_ran, which does not exist'
refuses 's/Errors: as @context_run;/Errors: as anydim_context_run;/' 'as C does'
refuses 's/{name: path, type: string, doc: Path of the file\.}/{name: path, type: string, default: 1, doc: Path of the file.}/' 'default is for numbers'
# The same of the operators' description.
refuses_operator() {
  rm -rf "$work/described"
  cp -r core/ops/described "$work/described"
  sed -i "$1" "$work"/described/*.yaml
  if diff -rq core/ops/described "$work/described" >/dev/null; then echo "the change '$1' changes nothing"; exit 1; fi
  if "$python" -m generator --check --operators "$work/described" >"$work/out" 2>&1; then
    echo "accepted: $1"; exit 1
  fi
  grep -q "$2" "$work/out" || { echo "'$1' is refused without '$2':"; cat "$work/out"; exit 1; }
}
refuses_operator 's/{name: group, type: integer, default: 1, min: 1, doc: Number of groups.}/{name: group, type: integer, doc: ""}/' 'documentation is empty'
refuses_operator 's/kind: cumsum/kind: topk/' 'operator topk occurs twice'
last=$(sed -n 's/^    value: //p' core/ops/described/*.yaml | sort -n | tail -1)
refuses_operator "s/^    value: $last\$/    value: $((last + 1))/" 'not 1, 2, 3'
refuses_operator 's/traits: \[elementwise, keeps_order, stores\]/traits: [elementwise, keeps_odor, stores]/' 'keeps_odor'
refuses_operator 's/unless: global/unless: globule/' 'globule'
refuses_operator 's/type: scatter_reduction/type: scatter_production/' 'scatter_production'
refuses_operator '/name: reserved, type: reserved/d' 'hidden padding'
refuses_operator '/examples:/,/inputs:/d; s/^    traits:/    examples: []\n    traits:/' 'there is no example\|is missing'
echo "incomplete descriptions are refused"
