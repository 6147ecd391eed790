# What the CI of DuckDB's community registry calls, in this order: set_duckdb_version, configure_ci, release, test_release. It
# takes build/release/extension/redline/redline.duckdb_extension. Its own makefiles are not included: `release` is ours.
# The platform, the processor and the version of the host come from its environment.

CONFIGURED := configure/venv/.ready
REGISTRY_PYTHON := configure/venv/bin/python3
# Its Python runner of SQL tests is not on PyPI. Where it cannot be had, ours runs the files by the same rules.
SQL_RUNNER := git+https://github.com/duckdb/duckdb-sqllogictest-python
TRIPLE := $(patsubst arm64,aarch64-apple-darwin,$(patsubst x86_64,x86_64-apple-darwin,$(OSX_BUILD_ARCH)))

.PHONY: configure configure_ci set_duckdb_version set_duckdb_tag test_debug test_release clean_all registry fixtures

configure: $(CONFIGURED)

# In a container nothing is tested, and nothing but Rust and Python is needed to build.
configure_ci: $(if $(filter 1,$(LINUX_CI_IN_DOCKER)),,configure)

# The C API that is asked for stands in scripts/package.py; the host to test with is DUCKDB_TEST_VERSION.
set_duckdb_version set_duckdb_tag:
	@:

$(CONFIGURED): scripts/registry.mk
	$(call step,a Python with DuckDB and its runner of SQL tests)
	@rm -rf configure/venv
	@$(PYTHON) -m venv configure/venv
	$(REGISTRY_PYTHON) -m pip install --quiet --disable-pip-version-check duckdb$(if $(DUCKDB_TEST_VERSION),==$(DUCKDB_TEST_VERSION))
	@$(REGISTRY_PYTHON) -m pip install --quiet --disable-pip-version-check $(SQL_RUNNER) || \
		echo "DuckDB's runner cannot be had here; test/python/support/sqllogic.py takes its place"
	@touch $@

fixtures:
	@sh test/fixtures/make_repos.sh

test_debug: $(CONFIGURED) fixtures
	$(call step,test/sql with the debug build)
	@$(REGISTRY_PYTHON) scripts/run_sql_tests.py build/debug/extension/redline/redline.duckdb_extension

test_release: $(CONFIGURED) fixtures
	$(call step,test/sql with the release build)
	@$(REGISTRY_PYTHON) scripts/run_sql_tests.py build/release/extension/redline/redline.duckdb_extension

registry:
	@$(PYTHON) scripts/registry.py $(if $(REPOSITORY),--repository $(REPOSITORY))

clean_all: clean
	rm -rf configure
