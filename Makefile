# Each target sets up what it needs: Python 3.11 or newer, a C++20 compiler and make are all that a machine must have.

PYTHON ?= python3
# The versions that are installed: each Python has a lock file. `make test LOCK=` takes the newest of everything instead.
LOCK ?= requirements/py$(shell $(PYTHON) -c 'import sys; print("{}.{}".format(*sys.version_info))').txt
INSTALL = install -qq --disable-pip-version-check $(addprefix -c ,$(wildcard $(LOCK)))
BIN := .venv/bin
READY := .venv/.ready
BROWSER := .venv/.browser
BUILD := build/python
BUILD_REQUIRES = $$($(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"])')
NATIVE := $(shell find native CMakeLists.txt -type f)
# For two cores: `make test WORKERS=4` uses more. Lint and the C++ tests run side by side.
WORKERS ?= 2
MAKEFLAGS += --jobs=2

.PHONY: run test test-dist coverage bench docs pages lint format stub lock check-long sanitize clean

# The main job: trains an agent for NES Tetris without rotation, tests it, and writes the report.
run: $(READY) $(BUILD)/.installed
	rm -rf build/run
	BLOCKFALL_HOME=build/run/home $(BIN)/blockfall study soster2024 --budget taste --rules nes-no-rotation-drop --out build/run

test: lint $(BUILD)/.installed $(BROWSER) $(BUILD)/.tested
	$(BIN)/pytest -n $(WORKERS) --dist loadfile --durations 25 -m 'not long and not alone'
	$(BIN)/pytest -m 'alone and not long'

# The tests again, against the wheel and the sdist as installed in environments of their own instead of the checkout.
DIST := build/dist
test-dist: $(BROWSER)
	rm -rf $(DIST)
	$(BIN)/pip $(INSTALL) build
	$(BIN)/python -m build --outdir $(DIST)
	for file in $(DIST)/*.whl $(DIST)/*.tar.gz; do \
	  rm -rf $(DIST)/venv && $(PYTHON) -m venv $(DIST)/venv && \
	  $(DIST)/venv/bin/pip $(INSTALL) cmake ninja scikit-build-core nanobind "$$file[dev]" && \
	  $(DIST)/venv/bin/pytest -n $(WORKERS) --dist loadfile -m 'not long and not alone' || exit 1; \
	done

# The share of Python lines that the tests run. Programs that tests start are not counted.
coverage: $(READY) $(BUILD)/.installed $(BROWSER)
	$(BIN)/pytest -n $(WORKERS) --dist loadfile -m 'not long and not alone' --cov=blockfall --cov-report=term:skip-covered

bench: $(READY) $(BUILD)/.installed
	$(BIN)/blockfall bench

# The documentation site, in build/site: open build/site/index.html.
docs: $(READY) $(BUILD)/.installed
	$(BIN)/pip $(INSTALL) $$($(PYTHON) -c \
	  'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["docs"])')
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

# The pages and tables that are made from the registries and from measurements.
pages: $(READY) $(BUILD)/.installed
	for made in tables reference api_page features_page algorithms_page; do $(BIN)/python tools/make_$$made.py || exit 1; done

lint: $(READY) $(BUILD)/.installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $$(find native -name '*.hpp' -o -name '*.cpp' -o -name '*.cu')

format: $(READY)
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/clang-format -i $$(find native -name '*.hpp' -o -name '*.cpp' -o -name '*.cu')

# The committed stub of the native module.
stub: $(READY) $(BUILD)/.installed
	$(BIN)/python -m tests.stub --write

# Write today's newest versions into the lock files. To begin one for another Python: `touch requirements/py3.15.txt`.
lock:
	$(PYTHON) -m venv build/lock
	build/lock/bin/pip install -qq --disable-pip-version-check uv
	for file in requirements/*.txt; do version=$${file#requirements/py}; \
	  printf '%s\n' build cmake ninja $(BUILD_REQUIRES) | build/lock/bin/uv pip compile --quiet --upgrade --universal \
	    --no-header --no-annotate --python-version $${version%.txt} --extra dev --extra docs pyproject.toml - \
	    --output-file $$file || exit 1; \
	done

# The fuzzing tests of this and of `sanitize` try other inputs with, say, FUZZ_SEED=2.
FUZZ_SEED ?= 1
export BLOCKFALL_FUZZ_SEED = $(FUZZ_SEED)

check-long: $(READY) $(BUILD)/.installed $(BROWSER)
	$(BIN)/pytest -m long

# The C++ tests and the core's Python tests under AddressSanitizer and UndefinedBehaviorSanitizer, and populations on
# many threads under ThreadSanitizer. The sanitizer's library must be loaded before Python, which was built without it.
SANITIZED_CORE := core/test_hostile_values test_hostile_calls games/test_human core/test_estimates games/test_many_games \
  core/test_randomizer core/test_spins agents/test_board_network agents/test_board_network_files \
  agents/test_feature_network agents/test_table learning/test_linear_learning
PRELOAD = $(shell $(CXX) -print-file-name=libasan.so) $(shell $(CXX) -print-file-name=libstdc++.so)
SANITIZED = LD_PRELOAD='$(PRELOAD)' PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 $(BIN)/python -W ignore
CONFIGURE = $(BIN)/cmake -G Ninja -S . -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja
TESTS_ALONE = -DBLOCKFALL_TESTS=ON -DBLOCKFALL_MODULE=OFF

sanitize: $(READY)
	$(CONFIGURE) -B build/sanitize $(TESTS_ALONE) -DBLOCKFALL_SANITIZE=address
	$(BIN)/cmake --build build/sanitize --target core_tests
	$(BIN)/ctest --test-dir build/sanitize --output-on-failure
	$(CONFIGURE) -B build/sanitize-threads $(TESTS_ALONE) -DBLOCKFALL_SANITIZE=thread
	$(BIN)/cmake --build build/sanitize-threads --target core_tests
	$(BIN)/ctest --test-dir build/sanitize-threads --output-on-failure
	$(CONFIGURE) -B build/sanitize-python -DBLOCKFALL_SANITIZE=address -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python
	$(BIN)/cmake --build build/sanitize-python
	$(SANITIZED) -m pytest -q -p tests.sanitized $(SANITIZED_CORE:%=tests/%.py)
	$(SANITIZED) -m tests.core_fuzz 3000 $(FUZZ_SEED) --sanitized

clean:
	rm -rf .venv build

# The build runs with its tools in .venv, so that an edited C++ file rebuilds alone.
$(READY): pyproject.toml $(wildcard requirements/*.txt)
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "blockfall needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv
	@test -z '$(LOCK)' || test -f '$(LOCK)' || echo 'There is no $(LOCK): the newest versions are installed.'
	$(BIN)/pip $(INSTALL) cmake ninja $(BUILD_REQUIRES)
	$(BIN)/pip $(INSTALL) --no-build-isolation --config-settings=build-dir=$(BUILD) -e '.[dev]'
	touch $(READY) $(BUILD)/.installed

# The app's tests need Chromium. A Chromium or Chrome that is installed is used; otherwise this says what it installs.
$(BROWSER): $(READY)
	@command -v chromium || command -v chromium-browser || command -v google-chrome || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get && \
	    echo "The app's tests need a browser: installing the system package chromium by apt-get." && \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; } || \
	  { echo "The app's tests need a browser: installing Chromium into Playwright's folder in your home." && \
	    $(BIN)/playwright install chromium; }
	@touch $@

$(BUILD)/.installed: $(READY) $(NATIVE)
	$(BIN)/cmake --build $(BUILD)
	$(BIN)/cmake --install $(BUILD) --prefix $$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
	touch $@

$(BUILD)/.tested: $(BUILD)/.installed
	$(BIN)/cmake -B $(BUILD) -DBLOCKFALL_TESTS=ON
	$(BIN)/cmake --build $(BUILD) --target core_tests
	$(BIN)/ctest --test-dir $(BUILD) --output-on-failure
	touch $@
