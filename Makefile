# Needs Rust, a C compiler, Python 3.10+ with venv, GNU make and git; everything else is put below build/ and target/.

PYTHON ?= python3
CARGO ?= cargo

# The two hosts that one binary must load in. The first has a command line tool on PyPI.
STABLE := 1.5.6
NEXT := 2.0.0

VENVS := build/venv
STABLE_READY := $(VENVS)/$(STABLE)/.ready
NEXT_READY := $(VENVS)/$(NEXT)/.ready
BENCH_READY := $(VENVS)/bench/.ready
WHEEL_READY := $(VENVS)/wheel/.ready
# The same with what links against an old glibc.
WHEEL_ZIG := $(VENVS)/wheel/.zig
STABLE_BIN := $(VENVS)/$(STABLE)/bin
# The same with what the servers for agents need.
STABLE_MCP := $(VENVS)/$(STABLE)/.mcp
# The same with what checks the types of the Python package and the style of all Python.
STABLE_CHECKS := $(VENVS)/$(STABLE)/.checks
NEXT_MCP := $(VENVS)/$(NEXT)/.mcp
# The official client of the generation before, which has the same name as today's.
OLD_MCP := build/mcp-1.30.0
LIBDUCKDB := build/libduckdb/libduckdb.so
DEBUG := build/debug/redline.duckdb_extension

CARGO_FUZZ := build/cargo-fuzz/bin/cargo-fuzz
FUZZ_TARGETS := patch_parse patch_round_trip diff_round_trip
FUZZ_SECONDS := 60
# A part of the cases of `make torture`: a third with TORTURE_PART=3.
TORTURE_PART := 1
part_of = $(shell expr $(1) / $(TORTURE_PART))
TORTURE_CASES := $(call part_of,15000)

# `time` is a word of bash.
SHELL := /bin/bash

# Runs pytest in one host or in all; a word chooses among the slow tests too.
pytest_in_hosts = @set -e; for host in $(or $(HOST),$(STABLE) $(NEXT)); do \
	printf '\n==> DuckDB %s: %s\n' $$host '$(1)'; \
	REDLINE_EXTENSION=$(DEBUG) PYTHONDONTWRITEBYTECODE=1 \
		$(VENVS)/$$host/bin/python -m pytest -q --durations=5 $(1) $(if $(K),-m "" -k '$(K)'); \
	done

# Makes targets side by side: pip waits for its registry where cargo computes.
together = @$(MAKE) --no-print-directory -j3 $(1)

# One line above each step; what the tools print stays visible below it.
step = @printf '\n==> %s\n' "$(1)"

.DEFAULT_GOAL := help
include scripts/registry.mk
.PHONY: help run shell mcp check night test test-rust test-sql test-python test-slow test-memory check-systems test-windows torture fuzz debug release wheel test-wheel sql fmt lint lint-rust lint-python bench bench-compare bench-worst clean

help:
	@echo "make run          show what changed in this checkout, from SQL"
	@echo "make shell        open a DuckDB shell with redline loaded"
	@echo "make mcp          serve redline's tools to agents over stdin and stdout (FOLDER=DIRECTORY; WRITE=1 APPROVE=web outside of this checkout)"
	@echo "make check K=word build what changed, test the crates that changed and the tests named so: the inner loop"
	@echo "make test         run the tests: all in DuckDB $(STABLE), and in $(NEXT) what a host may change (WHOLE=1: all in both)"
	@echo "make test-rust    run a part: the Rust tests (K=word), test-sql, test-python (K=word HOST=$(NEXT))"
	@echo "make test-slow    run those that take longer: attacks, damage, whole histories"
	@echo "make night        run everything there is, in both hosts: .ci/night"
	@echo "make test-memory  run a C host under valgrind (Linux x86_64)"
	@echo "make check-systems compile everything for macOS and Windows, without linking; test-windows tries the latter in Wine"
	@echo "make torture      damage the files of repositories while they are read, $(TORTURE_CASES) times in each host (half an hour)"
	@echo "make fuzz         fuzz each target of test/fuzz for a minute (FUZZ_SECONDS=600 for ten)"
	@echo "make release      build/release/redline.duckdb_extension"
	@echo "make wheel        the Python package in build/dist, for pip; test-wheel installs one in fresh environments"
	@echo "make debug        build/debug/redline.duckdb_extension"
	@echo "make sql          write what the registries say: sql/tools*.sql and the lists of functions in docs/"
	@echo "make fmt          format the Rust and Python sources"
	@echo "make lint         rustfmt, clippy, rustdoc, ruff and mypy, warnings as errors"
	@echo "make bench        compare with git and its peers, side by side, into docs/benchmarks.md"
	@echo "make bench-compare BASE=main  time this checkout and a revision of it in turns; WORK=renames measures some works"
	@echo "make bench-worst  the same on texts that are hard to compare (minutes)"
	@echo "make test_release run test/sql as the community registry's CI does (test_debug for the debug build)"
	@echo "make registry     what is submitted to the community registry, in build/registry (REPOSITORY=owner/name)"
	@echo "make clean        remove build/ and target/"

# With the build that the tests use: an optimised one (`make release`) would compile every crate once more.
run:
	$(call together,debug $(STABLE_READY))
	$(call step,examples/first_look.py in DuckDB $(STABLE))
	@$(STABLE_BIN)/python examples/first_look.py $(DEBUG)
	$(call step,the commands of the Python package: redline log -n 5; redline --help)
	@PYTHONPATH=python $(STABLE_BIN)/python -m duckdb_redline --extension $(DEBUG) --no-pager log -n 5
	@PYTHONPATH=python $(STABLE_BIN)/python -m duckdb_redline --help

shell: release $(STABLE_READY)
	@$(STABLE_BIN)/duckdb -unsigned \
		-cmd "LOAD 'build/release/redline.duckdb_extension'" -cmd ".read sql/macros.sql" -cmd ".read sql/git.sql" -cmd ".read sql/analytics.sql" -cmd ".read sql/data.sql"

# What is said on stdout is the protocol's, so the steps go to stderr.
mcp:
	@$(MAKE) --no-print-directory release $(NEXT_MCP) >&2
	@$(VENVS)/$(NEXT)/bin/python examples/mcp_server.py "$(or $(FOLDER),.)" $(if $(WRITE),--write) $(if $(APPROVE),--approve $(APPROVE))

# Everything in every host, not in the first one alone.
WHOLE_OPTION = $(if $(WHOLE),--whole)

# What a change has to do with: the crates that it touches, and the tests whose file or name holds the word K.
check: debug $(STABLE_READY)
	@CARGO="$(CARGO)" $(PYTHON) scripts/check.py --extension $(DEBUG) --python $(STABLE_BIN)/python $(K)

test:
	$(call together,debug $(STABLE_MCP) $(NEXT_MCP))
	@CARGO="$(CARGO)" $(PYTHON) scripts/run_tests.py $(WHOLE_OPTION) --extension $(DEBUG) \
		$(STABLE)=$(STABLE_BIN)/python $(NEXT)=$(VENVS)/$(NEXT)/bin/python

# Parts of it, by a word of their names (K=renames) and in one host (HOST=2.0.0); slow tests are among them where K says.
test-rust:
	$(call step,cargo test $(K))
	@time $(CARGO) test --workspace $(K)

test-sql: debug $(STABLE_MCP) $(NEXT_MCP)
	$(call pytest_in_hosts,test/python/surface/test_sql.py)

test-python: debug $(STABLE_MCP) $(NEXT_MCP)
	$(call pytest_in_hosts,test/python --ignore=test/python/surface/test_sql.py)

# Attacks, damaged files, random histories and, where REDLINE_TEST_REPOS names them, whole large ones: an hour of two
# processors in each host (HOST=2.0.0 for one of them).
test-slow: debug $(STABLE_MCP) $(NEXT_MCP)
	@$(PYTHON) scripts/run_tests.py --slow $(WHOLE_OPTION) $(if $(HOST),--only $(HOST)) --extension $(DEBUG) \
		$(STABLE)=$(STABLE_BIN)/python $(NEXT)=$(VENVS)/$(NEXT)/bin/python

night:
	@.ci/night

test-memory: debug $(LIBDUCKDB)
	@command -v valgrind >/dev/null || { \
		echo "test-memory: valgrind is not installed (Debian: apt-get install valgrind)" >&2; exit 1; }
	$(call step,cargo test --test memory)
	$(CARGO) test --test memory -- --nocapture --test-threads=1

# What is compiled for macOS and Windows, as far as that goes without them (rustup).
check-systems:
	$(call step,scripts/systems.py check)
	@CARGO="$(CARGO)" $(PYTHON) scripts/systems.py check

# The debug build for Windows, in DuckDB for Windows, which runs in Wine (Linux x86_64 with rustup, MinGW and Wine).
test-windows: debug $(STABLE_READY)
	$(call step,scripts/systems.py windows)
	@CARGO="$(CARGO)" $(STABLE_BIN)/python scripts/systems.py windows build/windows
	$(call step,cargo test in Wine)
	@WINEDEBUG=-all WINEPREFIX=$(CURDIR)/build/windows/wine WINEPATH=Z:$(CURDIR)/build/windows \
		CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine \
		$(CARGO) test --no-fail-fast --workspace --lib --target x86_64-pc-windows-gnu --target-dir target/windows
	$(call step,test/python/packages/test_windows.py)
	@REDLINE_TEST_WINDOWS=build/windows REDLINE_EXTENSION=$(DEBUG) \
		$(STABLE_BIN)/python -B -m pytest -q -m slow test/python/packages/test_windows.py

# What `make test` does for a minute; a seed damages the same bytes again (TORTURE_SEED=2).
torture: debug $(STABLE_READY) $(NEXT_READY)
	@$(MAKE) --no-print-directory -j2 $(STABLE:%=torture-%) $(NEXT:%=torture-%)

# One host of it; they run side by side, each as one process.
torture-%:
	@printf '\n==> DuckDB %s: random layouts and histories, faults at the boundary, then damage\n' $*
	@REDLINE_TORTURE=1 REDLINE_EXTENSION=$(DEBUG) \
		$(VENVS)/$*/bin/python -B -m pytest -q -m slow test/python/layouts/test_layouts.py test/python/hostile/test_boundary.py
	@REDLINE_STEPS=$(call part_of,1000) REDLINE_FAILURES=$(call part_of,1000) REDLINE_EXTENSION=$(DEBUG) \
		$(VENVS)/$*/bin/python -B -m pytest -q -m slow -o faulthandler_timeout=0 \
		test/python/layouts/test_work_beside.py test/python/hostile/test_failing_calls.py
	@REDLINE_PATCHES=$(call part_of,1000) REDLINE_KILLS=$(call part_of,500) REDLINE_EXTENSION=$(DEBUG) \
		$(VENVS)/$*/bin/python -B -m pytest -q -m slow -o faulthandler_timeout=0 \
		test/python/files/test_patch_histories.py test/python/hostile/test_patch_faults.py \
		test/python/hostile/test_commit_faults.py
	@REDLINE_HISTORIES=$(call part_of,3000) REDLINE_EXTENSION=$(DEBUG) \
		$(VENVS)/$*/bin/python -B -m pytest -q -o faulthandler_timeout=0 test/python/history/test_random_histories.py
	@REDLINE_REBASES=$(call part_of,1000) REDLINE_MOVED=$(call part_of,2000) REDLINE_EXTENSION=$(DEBUG) \
		$(VENVS)/$*/bin/python -B -m pytest -q -o faulthandler_timeout=0 -m "slow or not slow" test/python/rebase
	@$(VENVS)/$*/bin/python -B test/python/support/torture.py --extension $(DEBUG) \
		--count $(TORTURE_CASES) --seed $(or $(TORTURE_SEED),1)

# Without a sanitizer, as what is fuzzed has no unsafe code: so a stable toolchain will do. The corpus grows below
# build/, and an input that fails is kept in test/fuzz/artifacts. The dependencies have the versions of the package.
fuzz: $(CARGO_FUZZ)
	@command -v c++ >/dev/null || { \
		echo "fuzz: libFuzzer is built with a C++ compiler, and there is none (Debian: apt-get install g++)" >&2; exit 1; }
	@cp Cargo.lock test/fuzz/Cargo.lock
	@set -e; for target in $(FUZZ_TARGETS); do \
		printf '\n==> cargo fuzz run %s, %s s\n' $$target $(FUZZ_SECONDS); \
		mkdir -p build/fuzz/$$target; seeds=test/fuzz/seeds/$$target; [ -d $$seeds ] || seeds=; \
		dictionary=test/fuzz/$$target.dict; [ -f $$dictionary ] && dictionary=-dict=$$dictionary || dictionary=; \
		CARGO="$(CARGO)" $(CARGO_FUZZ) run --fuzz-dir test/fuzz --target-dir target/fuzz --sanitizer none \
			$$target build/fuzz/$$target $$seeds -- -max_len=65536 -timeout=30 $$dictionary -max_total_time=$(FUZZ_SECONDS); \
	done

$(CARGO_FUZZ):
	$(call step,cargo install cargo-fuzz)
	$(CARGO) install --locked --root build/cargo-fuzz cargo-fuzz || { \
		echo "fuzz: cargo-fuzz could not be installed from crates.io" >&2; exit 1; }

debug:
	$(call step,cargo build)
	$(CARGO) build
	@$(PYTHON) scripts/package.py debug

# A registry's CI may name the platform, and on macOS the processor to build for.
release:
	$(call step,cargo build --release)
	@mkdir -p build
	@set -o pipefail; $(CARGO) build --release $(if $(TRIPLE),--target $(TRIPLE)) 2>&1 | tee build/release.log
	@! grep -q '^warning' build/release.log || { echo "release: a warning fails the build" >&2; exit 1; }
	@$(PYTHON) scripts/package.py release $(if $(TRIPLE),--target $(TRIPLE)) $(if $(DUCKDB_PLATFORM),--platform $(DUCKDB_PLATFORM))

# The wheel that is published, with the library linked against an old glibc on Linux.
wheel: $(WHEEL_ZIG)
	$(call step,scripts/wheel.py)
	@CARGO="$(CARGO)" $(VENVS)/wheel/bin/python scripts/wheel.py

# The package with the debug build, or the wheel of a directory (WHEELS=build/dist), as its users get it.
test-wheel: $(if $(WHEELS),,debug) $(WHEEL_READY)
	$(if $(WHEELS),,@REDLINE_REPOSITORY=owner/redline $(VENVS)/wheel/bin/python scripts/wheel.py --output build/wheel/debug \
		--extension $(DEBUG))
	$(call step,scripts/check_wheel.py)
	@$(PYTHON) scripts/check_wheel.py $(or $(WHEELS),build/wheel/debug) $(NEXT) $(STABLE)

sql: debug $(STABLE_READY)
	$(call step,scripts/write_sql.py)
	@$(STABLE_BIN)/python scripts/write_sql.py build/debug/redline.duckdb_extension

fmt: $(STABLE_CHECKS)
	$(STABLE_BIN)/ruff check --fix
	$(STABLE_BIN)/ruff format
	$(CARGO) fmt --all
	$(CARGO) fmt --manifest-path test/fuzz/Cargo.toml
	$(CARGO) fmt --manifest-path test/loom/Cargo.toml
	$(CARGO) fmt --manifest-path benches/Cargo.toml

lint:
	$(call together,lint-rust lint-python)

lint-python: $(STABLE_CHECKS)
	$(call step,ruff)
	@$(STABLE_BIN)/ruff check
	@$(STABLE_BIN)/ruff format --check
	$(call step,mypy)
	@$(STABLE_BIN)/python -m mypy --strict --cache-dir build/mypy python/duckdb_redline

lint-rust:
	$(call step,cargo fmt --check)
	$(CARGO) fmt --all --check
	$(CARGO) fmt --manifest-path test/fuzz/Cargo.toml --check
	$(CARGO) fmt --manifest-path test/loom/Cargo.toml --check
	$(CARGO) fmt --manifest-path benches/Cargo.toml --check
	$(call step,cargo clippy)
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(call step,cargo doc)
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --document-private-items

# A package of its own, whose dependencies have the versions of the extension.
define build_bench
	$(call step,cargo build --release --manifest-path benches/Cargo.toml --bin $(1))
	@cp Cargo.lock benches/Cargo.lock
	$(CARGO) build --release --manifest-path benches/Cargo.toml --target-dir target/bench --bin $(1)
endef

# WORK=renames measures the works whose title holds the word, and writes nothing.
bench: release $(BENCH_READY) $(STABLE_MCP)
	$(call build_bench,text_pairs)
	$(call step,benches/run.py in DuckDB $(STABLE))
	@$(VENVS)/bench/bin/python benches/run.py --only "$(WORK)"

# The base is built from its own sources into a directory of its own, which a second run finds again.
bench-compare: release $(BENCH_READY)
	$(if $(BASE),,$(error bench-compare: give BASE=<revision>))
	@base=build/compare/$$(git rev-parse --verify '$(BASE)^{commit}') && \
	if [ ! -f "$$base/build/release/redline.duckdb_extension" ]; then \
		rm -rf "$$base" && mkdir -p "$$base" && git archive $(BASE) | tar -x -C "$$base" && \
		CARGO_TARGET_DIR=$(CURDIR)/build/compare/target $(MAKE) -C "$$base" release; \
	fi && \
	$(VENVS)/bench/bin/python benches/compare.py "$$base/build/release/redline.duckdb_extension" \
		build/release/redline.duckdb_extension --only "$(WORK)"

bench-worst:
	$(call build_bench,one_pair)
	$(call step,benches/worst_cases.py)
	@$(PYTHON) benches/worst_cases.py

clean:
	rm -rf build target

# Made again when this file changes; a stamp is written last, so that an interrupted set-up starts again.
$(STABLE_READY): PACKAGES := duckdb==$(STABLE) duckdb-cli==$(STABLE) pytest pytz jsonschema click pygments matplotlib==3.11.2
$(NEXT_READY): PACKAGES := duckdb==$(NEXT) pytest pytz jsonschema click pygments matplotlib==3.11.2
$(BENCH_READY): PACKAGES := duckdb==$(STABLE) pygit2 GitPython numpy pyarrow csv-diff git-history
$(WHEEL_READY): PACKAGES := build hatchling
$(STABLE_READY) $(NEXT_READY) $(BENCH_READY) $(WHEEL_READY): Makefile
	$(call step,Python packages: $(PACKAGES))
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
		echo "Python 3.10 or newer is needed (make PYTHON=... names another one)" >&2; exit 1; }
	@rm -rf $(@D)
	@mkdir -p $(dir $(@D))
	@$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check $(PACKAGES)
	@touch $@

$(WHEEL_ZIG): $(WHEEL_READY)
	$(call step,Python packages: auditwheel cargo-zigbuild ziglang)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check auditwheel cargo-zigbuild ziglang
	@touch $@

$(STABLE_CHECKS): $(STABLE_MCP)
	$(call step,Python packages: mypy ruff)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check mypy==2.4.1 ruff==0.17.6
	@touch $@

$(STABLE_MCP): MCP_PACKAGES := mcp==2.3.0 mcp-server-motherduck==1.1.0
$(NEXT_MCP): MCP_PACKAGES := mcp==2.3.0
$(STABLE_MCP): $(STABLE_READY) $(OLD_MCP)/.ready
$(NEXT_MCP): $(NEXT_READY) $(OLD_MCP)/.ready
$(STABLE_MCP) $(NEXT_MCP):
	$(call step,Python packages: $(MCP_PACKAGES))
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check $(MCP_PACKAGES)
	@touch $@

$(OLD_MCP)/.ready: $(NEXT_READY)
	$(call step,Python packages: mcp==1.30.0)
	$(VENVS)/$(NEXT)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade --target $(@D) mcp==1.30.0
	@touch $@

$(LIBDUCKDB): scripts/fetch_libduckdb.py
	$(call step,libduckdb for the C host)
	@$(PYTHON) scripts/fetch_libduckdb.py $(@D)
