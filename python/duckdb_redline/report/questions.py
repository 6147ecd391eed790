"""The queries of a report: SQL that runs in the repository, and its rows."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..command.errors import call_it, said
from ..connection import literal

if TYPE_CHECKING:
    import duckdb

# How much is drawn: beyond that a picture cannot be read.
PERIODS, FILES, COUPLED, DIRECTORIES, OWNERS, AGES = 60, 40, 14, 12, 6, 8
# Files that are blamed for one picture, at all its points together: blame is what costs most.
BLAMED = 400
# Points of the history at which the size is counted, and languages that are told apart.
SIZES, LANGUAGES = 24, 6
# Tags that are releases: a version, with a word before it at most.
RELEASE = r"^[A-Za-z_-]*\d+(\.\d+)+$"
DAYS = {"month": 30.44, "quarter": 91.3, "year": 365.25}
# How SQL writes a period, and how many months it has.
LABELS = {
    "month": "strftime(period, '%Y-%m')",
    "quarter": "strftime(period, '%Y') || '-Q' || quarter(period)",
    "year": "strftime(period, '%Y')",
}
MONTHS = {"month": 1, "quarter": 3, "year": 12}

Rows = list[tuple[Any, ...]]


@dataclass
class Question:
    """A question, its SQL and its answer."""

    name: str
    title: str
    text: str
    sql: str
    columns: list[str]
    rows: Rows
    # Why there are no rows.
    failure: str | None = None


@dataclass
class Summary:
    """What a repository is, in a few numbers."""

    commit: str
    commits: int
    authors: int
    files: int
    first: str
    last: str
    days: float
    # Authors of half of the commits, the busiest ones.
    half: int
    release: str | None
    released: str | None


@dataclass
class Asked:
    """Which history a report is about."""

    rev: str
    repo: str
    since: str | None = None
    snapshots: int = 8
    paths: list[str] | None = None

    def call(self, macro: str, named: str = "rev", **options: object) -> str:
        """Returns a call of a macro as a person would write it: without arguments that are defaults."""
        given = {named: None if self.rev == "HEAD" else self.rev} | options
        given |= {"repo": None if self.repo == "." else self.repo}
        said = [f"{name} := {value_of(it)}" for name, it in given.items() if it is not None]
        return f"{macro}({', '.join(said)})"

    def function(self, name: str, **options: object) -> str:
        """Returns a call of a function, whose revision and repository must be given."""
        said = [f"{option} := {value_of(it)}" for option, it in options.items() if it is not None]
        return f"{name}({', '.join([value_of(self.rev), value_of(self.repo), *said])})"


def value_of(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(value_of, value))}]"
    return literal(value) if isinstance(value, str) else str(value).lower()


def summary(con: duckdb.DuckDBPyConnection, asked: Asked) -> Summary:
    """Returns the numbers at the top of the page."""
    row = con.execute(
        f"""\
WITH found AS (SELECT author_name, committer_date::TIMESTAMP AS moment FROM {asked.function("commits", since=asked.since)}
), authors AS (
    SELECT count(*) AS own, sum(own) OVER (ORDER BY own DESC ROWS UNBOUNDED PRECEDING) - own AS before, sum(own) OVER () AS total
    FROM found GROUP BY author_name
), releases AS ({releases(asked)})
SELECT system.main.resolve_revision(?, ?), count(*), count(DISTINCT author_name),
    (SELECT count(*) FROM {asked.function("tree_files", paths=asked.paths)}),
    strftime(min(moment), '%Y-%m-%d'), strftime(max(moment), '%Y-%m-%d'), date_diff('day', min(moment), max(moment)),
    (SELECT count(*) FROM authors WHERE before < total / 2),
    (SELECT max_by(release, moment) FROM releases), (SELECT strftime(max(moment), '%Y-%m-%d') FROM releases)
FROM found""",
        [call_it(asked.rev + "^{commit}", asked.rev), asked.repo],
    ).fetchone()
    assert row is not None
    return Summary(*row)


def releases(asked: Asked) -> str:
    """Returns the SQL of the releases up to the end of a history, of which many are on branches; those named like most."""
    return f"""\
    SELECT short_name AS release, committed_at::TIMESTAMP AS moment, regexp_replace(release, '[0-9.]+$', '') AS begins
    FROM refs({value_of(asked.repo)})
    WHERE kind = 'tag' AND regexp_matches(short_name, {value_of(RELEASE)})
        AND committed_at <= (SELECT max(committer_date) FROM {asked.function("commits", first_parent=True)})
    QUALIFY begins = mode(begins) OVER ()
"""


def questions(asked: Asked, days: float, first: str = "") -> list[tuple[str, str, str, str]]:
    """Returns the name, the title, the explanation and the SQL of each question; `first` is the day of the first commit."""
    per = next((per for per, length in DAYS.items() if days / length < PERIODS), "year")
    return [
        (
            "churn",
            "Churn over time",
            f"Lines that were added, upwards, and removed, downwards, in each {per}; merges are left out.",
            churn(asked, per, first if asked.since else ""),
        ),
        (
            "growth",
            "Growth by language",
            "The lines at points of the history, by the endings of the files' names; dashed lines are releases. Binary files "
            "have no lines.",
            growth(asked),
        ),
        (
            "people",
            "People",
            "Authors of each quarter: upwards those who changed something, those new in it apart; downwards those whose last "
            "change it has. Of the latest two quarters nobody can be told to have left.",
            people(asked),
        ),
        (
            "hours",
            "When commits are written",
            "Commits of each day of the week and hour, by their authors' clocks.",
            hours(asked),
        ),
        (
            "directories",
            "Busiest directories",
            f"Added and removed lines of the {DIRECTORIES} directories that changed most.",
            directories(asked),
        ),
        (
            "hotspots",
            "Hotspots",
            f"The {FILES} files that are largest and change most often. The size of a tile is the lines of the file, "
            "its colour the commits that changed it.",
            hotspots(asked),
        ),
        (
            "coupling",
            "Files that change together",
            f"Of {COUPLED} files: the part of the commits of a row's file in which the column's file changed, too.",
            coupling(asked),
        ),
        (
            "owners",
            "Owners",
            f"Whose lines the {DIRECTORIES} largest directories have now, by blame.",
            owners(asked),
        ),
        (
            "age",
            "Age of the code",
            "The lines that were there at points of the history, by the years in which they were written.",
            age(asked),
        ),
    ]


def answers(
    con: duckdb.DuckDBPyConnection,
    asked: Asked,
    totals: Summary,
    working: Callable[[str], AbstractContextManager[None]],
    bounded: Callable[[], AbstractContextManager[Callable[[], str | None]]],
) -> list[Question]:
    """Asks all questions, one after the other; one that fails, or takes more than its bound, has no rows and says why."""
    from ..client import duckdb

    asked_all = questions(asked, totals.days or 0, totals.first)
    found = []
    for number, (name, title, text, sql) in enumerate(asked_all, 1):
        question = Question(name, title, text, sql, [], [])
        with working(f"{number} of {len(asked_all)}: {title.lower()}"), bounded() as over:
            try:
                result = con.execute(sql)
                question.columns = [column[0] for column in result.description or []]
                question.rows = result.fetchall()
            except duckdb.Error as error:
                question.failure = over() or said(error)
        found.append(question)
    return found


def churn(asked: Asked, per: str, first: str) -> str:
    """Returns the SQL of the periods, of which the latest are shown; from a day on, where authors may have written before."""
    from_day = f"period >= date_trunc('{per}', DATE '{first}')" if first else "true"
    return f"""\
SELECT {LABELS[per]} AS period, commits, additions, deletions
FROM {asked.call("period_churn", "range", per=per, since=asked.since, paths=asked.paths)}
WHERE {from_day}
QUALIFY period > max(period) OVER () - INTERVAL {PERIODS * MONTHS[per]} MONTH
ORDER BY period DESC;"""


def points(asked: Asked, count: int) -> str:
    """Returns the SQL of the last commit of each part of the history, all of one length; a part without one has no row."""
    return f"""\
walked AS (
    SELECT commit_id, committer_date, epoch(committer_date) AS seconds,
        min(seconds) OVER () AS first, max(seconds) OVER () AS last
    FROM {asked.function("commits", first_parent=True)}
), points AS (
    SELECT least({count - 1}, floor({count} * (seconds - first) / greatest(last - first, 1)))::INTEGER AS part,
        max_by(commit_id, seconds) AS commit_id, max(committer_date) AS moment
    FROM walked GROUP BY part
)"""


def listed(name: str, asked: Asked, first: str = "") -> str:
    """Returns a call of a function that returns a list, of the points of the history."""
    options = f", {{'paths': {value_of(asked.paths)}}}" if asked.paths else ""
    return f"{name}({first}commit_id, {value_of(asked.repo)}{options})"


def growth(asked: Asked) -> str:
    return f"""\
WITH {points(asked, SIZES)}, files AS (
    SELECT part, moment, unnest({listed("file_changes_list", asked, "'EMPTY', ")}) AS file FROM points
), counted AS (
    SELECT part, moment, coalesce(nullif(regexp_extract(file.file_path, '[^/.]\\.(\\w+)$', 1), ''), '(no ending)') AS ending,
        sum(file.additions) AS lines
    FROM files WHERE file.additions > 0 GROUP BY ALL
), largest AS (
    SELECT ending FROM counted GROUP BY ending ORDER BY max(lines) DESC, ending LIMIT {LANGUAGES}
), releases AS ({releases(asked)})
SELECT strftime(moment::TIMESTAMP, '%Y-%m-%d') AS day, coalesce(largest.ending, '(others)') AS language,
    sum(lines)::BIGINT AS lines, NULL AS release, part::DOUBLE AS part
FROM counted LEFT JOIN largest USING (ending) GROUP BY ALL
UNION ALL
SELECT strftime(moment, '%Y-%m-%d'), NULL, NULL, release,
    round({SIZES} * (epoch(moment) - (SELECT min(first) FROM walked)) / greatest((SELECT max(last - first) FROM walked), 1), 2)
FROM releases
ORDER BY day, part, lines DESC, language, release;"""


def people(asked: Asked) -> str:
    return f"""\
WITH present AS (
    SELECT author_name, date_trunc('quarter', author_date::TIMESTAMP) AS period
    FROM {asked.function("commits", since=asked.since, paths=asked.paths)} GROUP BY ALL
), spans AS (
    SELECT author_name, min(period) AS first, max(period) AS last FROM present GROUP BY ALL
)
SELECT {LABELS["quarter"]} AS quarter, count(*) AS authors, count(*) FILTER (period = first) AS new,
    count(*) FILTER (period = last AND period < (SELECT max(last) FROM spans) - INTERVAL 3 MONTH) AS left
FROM present JOIN spans USING (author_name) GROUP BY period
QUALIFY period > max(period) OVER () - INTERVAL {PERIODS * 3} MONTH ORDER BY period DESC;"""


def hours(asked: Asked) -> str:
    return f"""\
WITH written AS (
    SELECT author_date::TIMESTAMP + to_minutes(author_offset) AS moment
    FROM {asked.function("commits", since=asked.since, paths=asked.paths)}
)
SELECT isodow(moment) AS day, hour(moment) AS hour, count(*) AS commits
FROM written GROUP BY ALL ORDER BY day, hour;"""


def directories(asked: Asked) -> str:
    return f"""\
SELECT directory, commits, authors, additions, deletions
FROM {asked.call("directory_churn", "range", depth=2, since=asked.since, paths=asked.paths)}
WHERE churn > 0 LIMIT {DIRECTORIES};"""


def hotspots(asked: Asked) -> str:
    return f"""\
SELECT file_path, lines, commits, authors, round(score, 3) AS score
FROM {asked.call("hotspots", since=asked.since, paths=asked.paths)}
WHERE lines > 0 ORDER BY score DESC, file_path LIMIT {FILES};"""


def coupling(asked: Asked) -> str:
    return f"""\
WITH pairs AS (
    FROM {asked.call("co_changes", "range", since=asked.since, min_confidence=0)}
    SEMI JOIN {asked.function("tree_files", paths=asked.paths)} USING (file_path)
    SEMI JOIN {asked.function("tree_files", paths=asked.paths)} present ON with_file = present.file_path
), coupled AS (
    SELECT file_path FROM pairs GROUP BY file_path ORDER BY max(support) DESC, file_path LIMIT {COUPLED}
)
SELECT file_path, with_file, support, commits, round(confidence, 2) AS confidence
FROM pairs SEMI JOIN coupled USING (file_path)
SEMI JOIN (SELECT file_path AS with_file FROM coupled) USING (with_file)
ORDER BY file_path, with_file;"""


def sampled(asked: Asked) -> str:
    """Returns the SQL of the runs of lines of the trees of `points`, by blame: of many files those of a hash of their paths."""
    return f"""\
trees AS (
    SELECT part, moment, commit_id, unnest({listed("tree_files_list", asked)}).file_path AS file_path FROM points
), hashed AS (
    SELECT *, md5_number(file_path) % (SELECT ceil(count(*) / {BLAMED})::UHUGEINT FROM trees) = 0 AS is_read FROM trees
), sampled AS (
    SELECT part, moment, commit_id, count(*) FILTER (is_read) AS read, count(*) AS files,
        list(':(top,literal)' || file_path) FILTER (is_read) AS paths
    FROM hashed GROUP BY part, moment, commit_id
), blamed AS (
    SELECT part, moment, read, files,
        unnest(tree_blame_list(commit_id, {value_of(asked.repo)}, {{'paths': paths}})) AS run
    FROM sampled WHERE read > 0
)"""


def owners(asked: Asked) -> str:
    return f"""\
WITH points AS (
    SELECT 0 AS part, NULL AS moment, {value_of(asked.rev)} AS commit_id
), {sampled(asked)}, parts AS (
    SELECT string_split(run.file_path, '/') AS parts, run.author_name AS author_name, run.lines AS lines, read, files
    FROM blamed WHERE run.author_name IS NOT NULL
), owned AS (
    SELECT coalesce(nullif(array_to_string(parts[:least(2, len(parts) - 1)], '/'), ''), '.') AS directory,
        author_name, sum(lines) AS lines, read, files
    FROM parts GROUP BY ALL
), largest AS (
    SELECT directory, sum(lines) AS total FROM owned GROUP BY ALL ORDER BY total DESC, directory LIMIT {DIRECTORIES}
), people AS (
    SELECT author_name FROM owned GROUP BY ALL ORDER BY sum(lines) DESC, author_name LIMIT {OWNERS}
)
SELECT directory, CASE WHEN people.author_name IS NULL THEN '(others)' ELSE people.author_name END AS author,
    sum(lines)::BIGINT AS lines, read, files
FROM owned JOIN largest USING (directory) LEFT JOIN people USING (author_name)
GROUP BY directory, author, total, read, files ORDER BY total DESC, directory, lines DESC, author;"""


def age(asked: Asked) -> str:
    return f"""\
WITH {points(asked, asked.snapshots)}, {sampled(asked)}, years AS (
    SELECT part, moment, year(run.author_date::TIMESTAMP) AS year, sum(run.lines) AS lines, read, files
    FROM blamed WHERE run.author_date IS NOT NULL GROUP BY ALL
), steps AS (
    SELECT min(year) AS first, max(year) AS final, ceil((max(year) - min(year) + 1) / {AGES})::INTEGER AS width FROM years
)
SELECT strftime(moment::TIMESTAMP, '%Y-%m-%d') AS day, first + (year - first) // width * width AS since_year,
    least(since_year + width - 1, final) AS until_year, sum(lines)::BIGINT AS lines, part, read, files
FROM years, steps GROUP BY ALL ORDER BY day, since_year;"""
