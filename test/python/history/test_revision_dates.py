"""Dates in revisions (`main@{yesterday}`) against git, in several time zones."""

import hashlib
import json
import os
import pathlib
import subprocess
import sys
import time

import pytest
import repositories

ZONES = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "EST5EDT,M3.2.0,M11.1.0",
]

DATES = [
    # Relative to now.
    "now", "yesterday", "noon", "midnight", "tea", "never", "today", "tomorrow", "noon yesterday", "yesterday noon", "tea yesterday",
    "1.day.ago", "2.days.ago", "2 days ago", "3.hours.ago", "90.minutes.ago", "1.week.ago", "2.weeks.ago", "3.months.ago", "13.months.ago",
    "25 months ago", "1.year.ago", "10.years.ago", "two days ago", "ten hours ago", "one week ago", "a week ago", "last week", "last month", "last year",
    "last friday", "last monday", "last tuesday", "last wed", "last sunday", "3.fridays.ago", "2 mondays ago", "friday", "monday", "1.day.2.hours.ago",
    "3.days.ago.noon", "10am", "10am yesterday", "10pm yesterday", "10 pm", "12am", "12pm", "3:00", "3:00 yesterday", "03:30:15 2.days.ago", "5 seconds ago",
    "100000 seconds ago", "yesterday 14:00", "14:00 yesterday", "noon last friday", "last friday noon", "2.days", "2 days", "6am last monday", "0 days ago",
    "1 month", "1.hour.ago.UTC", "eleven days ago", "zero days ago",
    # Whole dates.
    "{Y}-01-15 10:20:30", "{Y}-07-15 10:20:30", "{Y}-01-15T10:20:30", "{Y}-07-15T10:20:30Z", "{Y}-07-15T10:20:30+02:00", "{Y}-07-15 10:20:30 +0200",
    "{Y}-07-15 10:20:30 -0730", "{Y}-07-15 10:20 EST", "{Y}-07-15 10:20:30 CEST", "{Y}-07-15T10:20", "{Y}-07-15T1020", "{Y}-07-15T10", "{Y}0715T102030",
    "{Y}0715 102030", "{Y}0715T1020", "{Y}/07/15 10:20:30", "{Y}.07.15 10:20:30", "15.07.{Y} 10:20:30", "07/15/{Y} 10:20:30", "15/07/{Y} 10:20:30", "7/4/{Y} 10:20",
    "4.7.{Y} 10:20", "Jul 15 {Y} 10:20:30", "15 Jul {Y} 10:20:30", "July 15, {Y} 10:20:30 +0000", "Wed, 15 Jul {Y} 10:20:30 -0500", "Wed Jul 15 10:20:30 {Y}",
    "Wed Jul 15 10:20:30 {Y} +0300", "{Y}-07-15 10:20:30.123", "{Y}-07-15 10:20:30.123 +0100", "{Y}-07-15 10:20pm", "{Y}-07-15 10:20 pm", "{Y}-07-15 12:00am",
    "{Y}-10-25 02:30:00", "{Y}-03-29 02:30:00", "{Y}-11-01 01:30:00", "{Y}-03-08 02:30:00", "{Y}-02-30 10:00:00", "{Y}-13-05 10:00:00", "{Y}-05-13 25:00:00",
    # Dates without a time, and times without a date.
    "{Y}-01-15", "{Y}-07-15", "{Y}-12-31", "{Y}/07/15", "15.07.{Y}", "07/15/{Y}", "Jul 15 {Y}", "15 Jul {Y}", "July 15", "Jul 15", "15 July", "Dec 31", "Jan 1", "December", "Jan",
    "July {Y}", "{Y}", "{Y}0715", "15", "07-15", "7/15", "15.7.", "Jul 15 noon", "noon Jul 15", "{Y}-07-15 noon", "{Y}-07-15 midnight", "May 5th", "Feb 02", "Feb 0002", "98", "05",
    "10:00", "10:00:00", "23:59", "00:00", "10:20 +0200", "Jan 5 10:00",
    # Seconds.
    "1700000000", "@1700000000", "@1700000000 +0000", "1700000000 +0200", "@1700000000 +0200", "100000000", "99999999", "1234567890.5", "@0", "@100",
    # Nothing, or nearly.
    "x", "nonsense", "foo bar", "..", "-", "+1", "{{", "ago", "days", "last", "day", "am", "pm", "5", "0", "00", "year", "32", "99", "1969", "2100", "1970-01-01 00:00:00", "2099-12-31 23:59:59",
    "1900-01-01", "Z", "UTC", "utc noon", "week", "1.fortnight.ago", "1.", ".1", "1:2:3:4", "1-2-3-4", "12/25", "25/12", "12-25-{Y}", "25-12-{Y}",
]  # fmt: skip

ASK = """
import json, sys, _duckdb as duckdb
con = duckdb.connect(config={"allow_unsigned_extensions": True, "threads": 1})
con.execute(f"LOAD '{sys.argv[1]}'")
answers = []
for name in json.load(sys.stdin):
    try:
        answers.append(con.execute("SELECT resolve_revision(?, ?)", [name, sys.argv[2]]).fetchone()[0])
    except duckdb.Error as error:
        answers.append(None if "not_found: " in str(error) else str(error))
json.dump(answers, sys.stdout)
"""


@pytest.fixture(scope="module")
def logged(tmp_path_factory) -> pathlib.Path:
    """A repository whose branch has a log of many years, with more entries towards now."""
    repo = tmp_path_factory.mktemp("dates")
    repositories.git(repo, "init", "--quiet", "--initial-branch=main", ".")
    tree = repositories.git_text(repo, "mktree")
    who = {
        f"GIT_{role}_{part}": "a@b"
        for role in ("AUTHOR", "COMMITTER")
        for part in ("NAME", "EMAIL")
    }
    commit = (
        repositories.git(repo, "commit-tree", tree, "-m", "x", env=repositories.environment(**who))
        .decode()
        .strip()
    )
    repositories.git(repo, "update-ref", "refs/heads/main", commit)
    now, times = int(time.time()), [1]
    times += range(now - 25 * 365 * 86400, now, 86400 * 3 + 1117)
    times += range(now - 70 * 86400, now, 5 * 3600 + 613)
    times += range(now - 9 * 86400, now + 10 * 86400, 1543)
    times += [100_000_001, 1_699_999_999, 1_700_000_001, 1_234_567_000]
    times = sorted(set(times))
    # Entries name objects that are there: `git cat-file` tells the ids of no others.
    texts = [f"{number}\n" for number in range(len(times))]
    stream = "".join(f"blob\ndata {len(text)}\n{text}\n" for text in texts)
    repositories.git(repo, "fast-import", "--quiet", stdin=stream.encode())
    ids = [hashlib.sha1(f"blob {len(text)}\0{text}".encode()).hexdigest() for text in texts]
    lines = [
        f"{old} {new} A <a@b> {at} +0000\tx\n"
        for old, new, at in zip(ids, [*ids[1:], commit], times, strict=True)
    ]
    log = repo / ".git/logs/refs/heads/main"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("".join(lines))
    return repo


@pytest.mark.parametrize("zone", ZONES)
def test_a_date_selects_the_entry_that_git_selects(logged, extension, zone):
    year = str(time.gmtime().tm_year - 1)
    names = [f"main@{{{date.format(Y=year)}}}" for date in DATES]
    environment = repositories.environment(TZ=zone)

    def printed(*command: str, given: str = "") -> str:
        return subprocess.run(
            ["git", "-C", logged, *command],
            input=given,
            capture_output=True,
            env=environment,
            text=True,
        ).stdout

    def by_git() -> list[str | None]:
        found: list[str] = []
        while rest := names[len(found) :]:
            given = "".join(f"{name}\n" for name in rest)
            found += printed("cat-file", "--batch-check=%(objectname)", given=given).splitlines()
            # It ends where a log has fewer entries than a number asks for.
            if rest := names[len(found) :]:
                found.append(printed("rev-parse", "--verify", "--quiet", rest[0]).strip())
        return [name if len(name) == 40 else None for name in found]

    before = by_git()
    done = subprocess.run(
        [sys.executable, "-c", ASK, str(extension), str(logged)],
        input=json.dumps(names),
        capture_output=True,
        text=True,
        env=os.environ | {"TZ": zone},
    )
    assert done.returncode == 0, done.stderr
    # Time passes between the questions, so git is asked before and after redline.
    failed = [
        f"{name}: git {old}, redline {ours}"
        for name, old, ours, new in zip(
            names, before, json.loads(done.stdout), by_git(), strict=True
        )
        if ours not in (old, new)
    ]
    assert not failed, "\n".join(failed)
