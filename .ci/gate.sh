# What both gates share: parts with their times, what they need, and what they leave out. Sourced by `run` and `night`.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# A checkout that is built once has no use for what makes a second build quick: two gigabytes of disk.
export CARGO_INCREMENTAL=0

log=$(mktemp) parts=$(mktemp) skipped=$(mktemp) failed=
trap 'rm -f "$log" "$parts" "$skipped"' EXIT

heading() { printf '\n######## %s\n' "$*"; }

# Keeps for the summary that tests are skipped, and why.
skip() { echo "skipped: $*" | tee -a "$skipped"; }

# Runs a part, and keeps what it prints, how long it took, and whether it failed: the others run all the same, as one run
# should say all that is wrong.
part() {
    heading "$*"
    local start=$SECONDS word=
    "$@" 2>&1 | tee -a "$log" || { word="  FAILED" failed+=" [$*]"; }
    printf '%6d s  %s%s\n' $((SECONDS - start)) "$*" "$word" >>"$parts"
}

# Installs a package of Debian for the tests that need it.
install() {
    command -v apt-get >/dev/null || return 1
    heading "$1 is not installed: apt-get installs it"
    local sudo=
    [ "$(id -u)" = 0 ] || sudo=sudo
    $sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends "$1" >/dev/null
}

is_linux_x86() { [ "$(uname -sm)" = "Linux x86_64" ]; }

# The large repositories are beside the checkout where there are any.
large_repositories() {
    if [ -z "${REDLINE_TEST_REPOS:-}" ] && [ -d ../shared/repos ]; then
        REDLINE_TEST_REPOS=$(cd ../shared/repos && pwd)
    fi
    if [ -n "${REDLINE_TEST_REPOS:-}" ]; then
        export REDLINE_TEST_REPOS
    else
        skip "tests of large repositories: REDLINE_TEST_REPOS names none"
    fi
}

# Prints the summaries, the times and what was skipped; the last line is that of all parts together. Fails if one of them did.
result() {
    heading "result"
    grep -E '^==> summary|^  (ok|FAILED) ' "$log" || true
    echo "time of each part:"
    cat "$parts"
    # Single tests that were skipped are in the reports of pytest, with their reasons.
    cat "$skipped"
    [ -s "$skipped" ] || echo "no suite was skipped"
    [ -z "$failed" ] || echo "FAILED:$failed"
    sed -nE 's/^All tests passed: ([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped\.$/\1 \2 \3/p' "$log" |
        awk '{ p += $1; f += $2; s += $3 } END { print p + 0 " passed, " f + 0 " failed, " s + 0 " skipped" }'
    [ -z "$failed" ]
}
