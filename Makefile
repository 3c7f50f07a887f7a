# The commands of the project. Each one says what it does, ends in a verdict, and costs nothing when it is run again. Only
# `apt-get install make git python3` is needed before the first. `make demo`, `make test` and `make setup` install what is missing
# (tools/setup). The others check, and say what is missing and which command installs it. ANYDIM_SETUP=no: nothing is ever installed.

BUILD   := build
VENV    := .venv
PY      := $(VENV)/bin/python
PYTHON  ?= python3
JOBS    ?= $(shell nproc)
PREFIX  ?= /usr/local
ROUNDS  ?= 7
TARGET  ?= aarch64-gcc
FOR     ?= test lint
export PYTHON

ifndef ANYDIM_SETUP
ANYDIM_SETUP := check
setup demo test: export ANYDIM_SETUP := install
endif
export ANYDIM_SETUP
needs-%: export ANYDIM_SETUP_BY = setup FOR=$(@:needs-%=%)

.DEFAULT_GOAL := help
.PHONY: help setup library with-tests build cross wheel wheels jar full-jar java rust deb models docs demo test test-all bench reproduce peak zoo install uninstall generate format lint clean

help: ## this text
	@printf 'Anydim: deep-learning primitives that take their dims when they run.\n\n'
	@printf 'usage: make COMMAND [JOBS=n] [PREFIX=folder] [ROUNDS=n] [TARGET=name]\n\n'
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | awk -F'\t' '{printf "%-14s %s\n", $$1, $$2}'
	@printf '\nNew here? `make demo` reads text from images on Anydim and draws its speed; `make test` proves the rest.\n'
	@printf 'Everything that is made lies in build/, dist/ and .venv/; `make clean` removes them.\n'

setup: $(FOR:%=needs-%) ## installs what `make demo` and `make test` need; FOR="rust cross": what these commands need
	@printf 'setup: ready\n'

# -- what each command needs (tools/debian-packages-*.txt, tools/requirements-*.txt) ----------------------------------

.PHONY: needs-library needs-build needs-wheel needs-cross needs-rust needs-java needs-full-jar needs-deb needs-models needs-docs needs-demo
.PHONY: needs-install needs-jar needs-wheels needs-test needs-test-all needs-bench needs-zoo needs-generate needs-format needs-lint

needs-library:
	@tools/setup packages library

needs-build:
	@tools/setup packages library test

needs-wheel:
	@tools/setup packages library python
	@tools/setup python build wheel

needs-cross:
	@tools/setup packages library python
	@tools/setup cross

needs-rust:
	@tools/setup packages library python
	@tools/setup python build
	@tools/setup rust

needs-java:
	@tools/setup packages library python java
	@tools/setup python

needs-install: needs-library
needs-jar: needs-java
needs-wheels: needs-cross

needs-full-jar: needs-java
	@tools/setup cross

needs-deb:
	@tools/setup packages library python deb

needs-models:
	@tools/setup packages python
	@tools/setup python

needs-docs:
	@tools/setup packages python
	@tools/setup python docs

needs-demo:
	@tools/setup packages library python demo
	@tools/setup python build wheel run

needs-test:
	@tools/setup packages library python java demo test
	@tools/setup python build wheel run test
	@tools/setup rust

needs-test-all: needs-test
	@tools/setup packages deb
	@tools/setup python pipelines torch docs
	@tools/setup miri
	@tools/setup scale
	@tools/setup cross
	@tools/setup opencl

needs-bench:
	@tools/setup packages library python demo test
	@tools/setup python build wheel run test bench

needs-zoo:
	@tools/setup packages library python demo
	@tools/setup python build wheel run test
	@tools/setup zoo

# Packages of Python alone: these two never ask for one of Debian's.
needs-format:
	@tools/setup python lint

needs-lint:
	@tools/setup python build run test lint

needs-generate:
	@tools/setup python build run

# -- building -------------------------------------------------------------------------------------------------------

# Configures the build folder; CMake's words are shown only where it fails. The folder is one for all: what a command needs is added to
# it, and nothing is compiled twice.
define configure
@mkdir -p $(BUILD)
@printf 'build: configuring %s (Release)\n' $(BUILD)
@cmake -G Ninja -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release -DANYDIM_TOGETHER=ON $(1) >$(BUILD)/configure.log 2>&1 \
  || { cat $(BUILD)/configure.log; exit 1; }
endef

$(BUILD)/build.ninja: | needs-library
	$(call configure,-DANYDIM_TESTS=OFF)

library: needs-library $(BUILD)/build.ninja ## the library and the program, under build/
	@cmake --build $(BUILD) -j $(JOBS) --target anydim_shared anydim_static anydim_cli
	@printf 'library: done: %s/lib/libanydim.so, %s/bin/anydim\n' $(BUILD) $(BUILD)

# In its cache CMake keeps whether the folder has tests.
with-tests: needs-build
	$(if $(shell grep -s '^ANYDIM_TESTS:BOOL=ON' $(BUILD)/CMakeCache.txt),,$(call configure,-DANYDIM_TESTS=ON))

build: with-tests ## the library, the program and the tests, under build/
	@cmake --build $(BUILD) -j $(JOBS)
	@printf 'build: done: %s/lib/libanydim.so, %s/bin/anydim\n' $(BUILD) $(BUILD)

wheel: needs-wheel ## dist/anydim-*.whl, also installed in .venv
	@$(PY) tools/wheel.py

cross: needs-cross ## the tests on TARGET=aarch64-gcc (default, under qemu), aarch64 or musl: packaging/targets.toml
	@$(PY) tools/cross.py test $(TARGET)

wheels: needs-cross ## dist/wheels/anydim-*-manylinux*.whl, for each CPython here and for others' machines
	@$(PY) tools/wheels.py

rust: needs-rust ## dist/anydim-*.crate, and with them dist/anydim-sys-*.crate, which carries the library's source
	@$(PY) tools/crates.py

jar: needs-java $(BUILD)/build.ninja ## build/java/target/anydim-*.jar, with the native library in it
	@$(PY) tools/java.py package

full-jar: needs-full-jar ## build/java/everywhere/target/anydim-*.jar: that jar for glibc 2.17 and newer
	@$(PY) tools/java.py package --everywhere

java: needs-java $(BUILD)/build.ninja ## the Java artifact, in the local Maven repository and in build/java/target
	@$(PY) tools/java.py install -- $(MAVEN)

deb: needs-deb library ## dist/deb/*.deb: libanydim0, libanydim-dev and anydim for this Debian
	@$(PYTHON) tools/deb.py

models: needs-models ## the four ONNX models, under build/models
	@$(PY) tools/fetch_models.py

docs: needs-docs ## the site of the documentation, searchable, under build/site
	@$(PY) tools/docs.py

install: library ## the library, header, program and pkg-config files into PREFIX (default /usr/local)
	@$(PYTHON) tools/install.py install $(BUILD) $(PREFIX)

uninstall: ## removes what make install put into PREFIX, and the folders that it made, if nothing else is in them
	@$(PYTHON) tools/install.py uninstall $(PREFIX)

# -- seeing and proving ---------------------------------------------------------------------------------------------

demo: needs-demo wheel models ## reads text from images drawn just now; first call at each new shape beside the later ones
	@$(PY) demo/demo.py

test: needs-test wheel build jar models ## every promise, in under 25 minutes on 2 cores
	@$(PY) tools/run_tests.py quick

test-all: needs-test-all wheel build jar models ## the long tests too: sanitizers, emulated CPUs, many shapes, Spark and Ray; resumes where it stopped
	@$(PY) tools/run_tests.py all --resume

bench: needs-bench build wheel models ## first calls beside ONNX Runtime and OpenVINO, policies, tuning, many threads, memory and creation, then against the targets: an hour
	@$(PY) bench/run.py --rounds $(ROUNDS)
	@$(PY) bench/growth.py
	@$(PY) bench/reuse.py --rounds $(ROUNDS)
	@$(PY) bench/reuse.py --rounds $(ROUNDS) --cores 1 --threads 1
	@$(PY) bench/tuning.py
	@$(PY) bench/fairness.py --rounds $(ROUNDS)
	@$(PY) bench/resident.py
	@$(PY) bench/creation.py
	@$(PY) bench/check.py

reproduce: needs-bench build wheel models ## docs/reproductions.md: what kernels with dims of a run cost and save, beside ONNX Runtime, OpenVINO and oneDNN: 20 minutes
	@$(PY) bench/reproduce.py --rounds $(ROUNDS)

peak: needs-bench build wheel ## docs/peak.md: the share of the processor's multiply-adds that layers reach, beside ONNX Runtime and OpenVINO: 6 minutes
	@$(PY) bench/peak.py --rounds $(ROUNDS)

zoo: needs-zoo build wheel ## networks that nobody tuned for, beside ONNX Runtime and OpenVINO, the worst first: 20 minutes, before that 2 GB of packages once
	@$(PY) bench/zoo.py

# -- consistency and layout ----------------------------------------------------------------------------------------------

CXX_FILES = git ls-files '*.h' '*.hpp' '*.c' '*.cpp' | xargs -r grep -L 'Generated'
PY_FILES = git ls-files '*.py' | xargs -r grep -L '^\# Generated'

generate: needs-generate ## header, shims, export map, operators and Python module, made from capi/api and core/ops/described
	@cd capi && ../$(PY) -m generator
	@printf 'generate: done; git diff shows what changed\n'

format: needs-format ## rewrites C++, Python and Rust files in the project's layout
	@$(CXX_FILES) | xargs -r $(VENV)/bin/clang-format -i
	@$(PY_FILES) | xargs -r $(VENV)/bin/ruff format --quiet
	@if command -v rustfmt >/dev/null; then cd bindings/rust && cargo fmt; fi
	@printf 'format: done\n'

lint: needs-lint ## static checks of C++ (clang-tidy, when installed) and Python (ruff, mypy)
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
