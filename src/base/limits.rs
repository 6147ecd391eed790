//! Every limit by name: its unit, its value, and what happens beyond it. A host may change those
//! of [`HOST_LIMITS`].

/// A limit that a host may change: a setting of DuckDB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostLimit {
    /// The name of the setting.
    pub name: &'static str,
    /// What `duckdb_settings()` and docs/settings.md say: its unit, and what happens beyond it.
    pub description: &'static str,
    /// The value while the host sets no other.
    pub default: u64,
    /// The value of NULL, which is the default or stricter.
    pub null: u64,
}

/// Declares the limits that a host may change, from which follow the settings that DuckDB lists,
/// those that functions read, and the values that the work has.
macro_rules! host_limits {
    (@null $default:expr) => { $default };
    (@null $default:expr, $null:expr) => { $null };
    ($($limit:ident = $default:expr $(, NULL = $null:expr)?, $description:literal;)*) => {
        /// A value for each limit that a host may change: its number, or its declaration.
        #[derive(Debug, Clone, Copy)]
        pub struct HostLimits<T = u64> {
            $(#[doc = $description] pub $limit: T,)*
        }

        /// The declarations.
        pub const HOST_LIMITS: HostLimits<HostLimit> = HostLimits {
            $($limit: HostLimit {
                name: concat!("redline_", stringify!($limit)),
                description: $description,
                default: $default,
                null: host_limits!(@null $default $(, $null)?),
            },)*
        };

        impl<T: Copy> HostLimits<T> {
            /// Returns one after the other.
            pub const fn all(self) -> [T; [$(stringify!($limit)),*].len()] {
                [$(self.$limit),*]
            }

            /// Returns what `value` makes of each.
            pub fn map<U>(self, value: impl Fn(T) -> U) -> HostLimits<U> {
                HostLimits { $($limit: value(self.$limit),)* }
            }
        }
    };
}

host_limits! {
    max_read_bytes = 4 << 20,
        "Bytes of the largest file that is read; a larger one is `too_large:`";
    max_diff_bytes = 2 << 20,
        "Bytes of the longest diff of `diff_texts`, `diff_files` and the tool `Diff`; a longer one \
         is cut at the end of a line";
    max_answer_bytes = ANSWER_BYTES as u64,
        "Bytes of a tool's answer where its call gives no `max_bytes`; the rest follows with a \
         cursor. It is 2,000 to 67,108,864";
    max_seconds = 0,
        "Seconds that a function in a query, or a tool call, may take; then it is `timeout:`. With \
         0 and NULL a function has 600 seconds and a tool call 60; set more for longer work";
    cache_bytes = 256 << 20,
        "Bytes of git objects that a query caches, shared by its threads, so that none is read \
         twice; 0 caches none. Up to 32 MiB are kept for the next query, and line counts of up to \
         131,072 changes of a repository";
    copies_bytes = 4 << 30,
        "Bytes of all copies that `file_at`, `files_at` and `file_versions_at` have made; those \
         used longest ago are removed, and files that do not fit together are `too_large:`";
    // NULL ends an approval at once.
    approval_ttl_seconds = 900, NULL = 0, "Seconds for which an approval is valid";
    max_proposals = 1_000, "Pending proposals of one session; another is `too_large:`";
    max_waiting_bytes = 64 << 20,
        "Bytes of all pending proposals; the oldest that are not approved are dropped, and a single \
         larger one is `too_large:`";
    max_calls = 0,
        "Tool calls of one session per minute; a further one is `too_large:`; 0: no limit";
    journal_max_bytes = 256 << 20,
        "Bytes of the contents and lines of the journal; the oldest operations are dropped, and one \
         whose contents are more is `too_large:` and not done";
    journal_days = 30, "Days for which the journal keeps operations";
}

/// Rows in one chunk: the size of DuckDB's vectors. A larger chunk crashes 1.5.6.
pub const CHUNK_ROWS: usize = 2048;

/// Approximate bytes in one chunk; beyond, the chunk is returned with fewer rows, so that DuckDB's
/// `memory_limit` is charged in steps it can refuse.
pub const CHUNK_BYTES: usize = 8 << 20;

/// Milliseconds after which a scan returns the rows it has: DuckDB checks for a cancelled query
/// only between chunks.
pub const CHUNK_MILLIS: u64 = 20;

/// Time that the first chunk of a history waits for more rows; each further chunk waits twice as
/// long, up to [`CHUNK_MILLIS`]. A query with a small LIMIT needs only the first rows.
pub const FIRST_CHUNK_TIME: std::time::Duration = std::time::Duration::from_millis(1);

/// Rows from which such a chunk is returned early. DuckDB's operators hold smaller chunks back, and
/// then return the rows of a later one first.
pub const FIRST_CHUNK_ROWS: usize = 64;

/// Microseconds after which the remaining rows of a scalar function's call are shared with idle
/// threads: several times the cost of starting them.
pub const ROWS_SHARED_AFTER_MICROS: u64 = 500;

/// Rows to time before deciding whether rows are slow enough to share.
pub const TIMED_ROWS: usize = 8;

/// Mean microseconds of a row of `file_content` from which our threads help: a file of an open side
/// takes a few.
pub const FILE_SHARED_FROM_MICROS: u64 = 100;

/// Shared rows that a thread takes at once.
pub const SHARED_ROWS: usize = 64;

/// Bytes in one SQL value. DuckDB stores lengths in 32 bits and would silently wrap; a longer value
/// is `too_large:` (NULL from a function that never raises).
pub const VALUE_BYTES: usize = u32::MAX as usize;

/// Bytes of a text that `diff_texts` compares; a longer one is `too_large:`. Two texts of this size
/// with nothing in common take minutes and cannot be cancelled.
pub const DIFF_TEXT_BYTES: usize = 64 << 20;

/// Sessions whose calls are counted at once; beyond, those without a call in the last minute are
/// dropped, and if there are none a call of a new session is `too_large:`.
pub const COUNTED_SESSIONS: usize = 10_000;

/// Sessions that one connection may use: for each it may have `redline_max_proposals` waiting, and
/// it may name as many new ones in a minute. More is `too_large:`; a connection with the host's key
/// has no such limit.
pub const SESSIONS_OF_CONNECTION: usize = 100;

/// Calls whose answers go on and whose arguments are kept for a cursor that comes alone: of all
/// sessions, and of one. A cursor of an older one needs the arguments again.
pub const PAGED_CALLS: usize = 1_000;

/// Those of one session.
pub const PAGED_CALLS_OF_SESSION: usize = 16;

/// Bytes of such arguments; longer ones are not kept.
pub const PAGED_CALL_BYTES: usize = 4_096;

/// Bytes of the name of a session; a longer one is `invalid_args:`.
pub const SESSION_BYTES: usize = 256;

/// Lines of a page of `approval_pages`; other values are `invalid_args:`. The least fits a box, the
/// most bounds the work.
pub const PAGE_LINES: std::ops::RangeInclusive<i64> = 8..=100_000;

/// Bytes of the lines of a journal that are kept; the oldest are forgotten.
pub const JOURNAL_LINES_BYTES: u64 = 16 << 20;

/// The part of a journal that operations that were not done share: one of so many. They never take
/// the place of those that were done.
pub const JOURNAL_REFUSED_PART: u64 = 8;

/// Bytes of a line that redline writes into a journal. An operation of more files takes further
/// lines if it is done; otherwise the others are counted.
pub const JOURNAL_LINE_BYTES: usize = 64 << 10;

/// Bytes of a journal's log that are read, from its end. redline shortens a log far earlier.
pub const JOURNAL_LOG_BYTES: u64 = 256 << 20;

/// Lines of a journal that are told to be unreadable, the last of them.
pub const JOURNAL_UNREADABLE: usize = 10_000;

/// Bytes of the reason of a change; a longer one is `invalid_args:`.
pub const REASON_BYTES: usize = 1 << 10;

/// Files with contents in a journal; more are `too_large:`.
pub const JOURNAL_CONTENTS: usize = 1 << 20;

/// Bytes of the operations and contents that a database without a journal keeps in memory; the
/// oldest are forgotten. An operation with more is `too_large:` and not done.
pub const JOURNAL_MEMORY_BYTES: u64 = 64 << 20;

/// Files, and places in each, of the conflicts that `revert_edit` reports.
pub const REPORTED_CONFLICTS: usize = 5;

/// Edits in one call; more are `too_large:`.
pub const EDITS: usize = 10_000;

/// Longest marker of a conflict, in characters.
pub const MARKER_CHARS: usize = 1000;

/// Bytes of a text that is compared word by word; a longer one gives NULL. Two texts of this size
/// with nothing in common take seconds and cannot be cancelled.
pub const INLINE_BYTES: usize = 1 << 20;

/// Bytes of adjacent removed and added lines whose words are compared for emphasis in an approval's
/// box; a longer block is shown without emphasis.
pub const EMPHASIS_BYTES: usize = 8 << 10;

/// Bytes of all such blocks of one box; later ones are shown without emphasis.
pub const EMPHASIS_TOTAL_BYTES: usize = 128 << 10;

/// Bytes of all such blocks of a patch, or of one page of `diff_html`; later ones are shown without
/// emphasis.
pub const EMPHASIS_PATCH_BYTES: usize = 4 << 20;

/// Pieces of a change that a host draws, by default; the rest is cut with a row that says so.
pub const PIECES: usize = 100_000;

/// Columns of an approval's box; other widths are `invalid_args:`. The least fits a prompt, the
/// most bounds the padding.
pub const DISPLAY_COLUMNS: std::ops::RangeInclusive<i64> = 20..=1000;

/// Levels of directories in a tree, git's own `core.maxTreeDepth`; deeper ones are `tool_failed:`.
pub const TREE_DEPTH: usize = 2048;

/// Bytes of one git object in memory, twice git's `core.bigFileThreshold`. A blob over the
/// threshold is binary, as in git; any other object over this limit is `too_large:`.
pub const OBJECT_BYTES: u64 = 1 << 30;

/// Bytes from which a blob is binary, unless the repository's configuration says otherwise: git's
/// default of `core.bigFileThreshold`.
pub const BIG_FILE_BYTES: u64 = 512 << 20;

/// Bytes of a `.gitattributes` file; a larger one is `too_large:` (git ignores those over 100 MiB).
pub const ATTRIBUTES_BYTES: u64 = 4 << 20;

/// Paths whose attributes a thread caches; beyond, the cache is cleared.
pub const ATTRIBUTE_PATHS: usize = 1 << 14;

/// Bytes of a `.mailmap`; a larger one is `too_large:`.
pub const MAILMAP_BYTES: u64 = 16 << 20;

/// Bytes of a `.gitignore` file; a larger one is `too_large:`.
pub const IGNORE_BYTES: u64 = 4 << 20;

/// Bytes of the files of one kind, `.gitattributes` or `.gitignore`, in a directory and its
/// parents; more are `too_large:`.
pub const PATTERN_BYTES: usize = 16 << 20;

/// Steps to match one path against such patterns, each a tried pattern or a compared byte; more are
/// `too_large:`.
pub const PATTERN_STEPS: u64 = 1 << 20;

/// Names of references that an answer shows for one commit.
pub const SHOWN_REFERENCES: usize = 10;

/// Bytes of an index file; a larger one is `too_large:`, and so is one whose paths (version 4)
/// expand to over eight times its bytes and 1 MiB.
pub const INDEX_BYTES: u64 = 512 << 20;

/// Bytes of the trees that an index names for its directories, and of their paths; if there are
/// more, the trees themselves are read.
pub const INDEX_TREE_BYTES: usize = 64 << 20;

/// Entries of an index, including the directories of a sparse one; more are `too_large:`.
pub const INDEX_ENTRIES: usize = 1 << 22;

/// Bytes of a path in an index, one more than Linux allows; an index with a longer one is
/// `too_large:`.
pub const INDEX_PATH_BYTES: usize = 4096;

/// Bytes that a query may hold at once in data that grows with its input: objects, tables of lines,
/// diffs and patches. More is `too_large:`. This fits two versions of the largest object
/// ([`OBJECT_BYTES`]), and a host of 4 GiB.
pub const QUERY_BYTES: usize = 2 << 30;

/// Bytes that the system must be able to allocate when DuckDB calls a function; else it is
/// `too_large:`.
pub const HEADROOM_BYTES: usize = 64 << 20;

/// Seconds of a function in a query, by default of `redline_max_seconds`; then it is `timeout:`.
/// DuckDB tells a function of an interrupt only after its first row, and a scalar function never.
pub const FUNCTION_SECONDS: u64 = 600;

/// Seconds of a call of a tool, by default of `redline_max_seconds`; then it is `timeout:`. Some
/// servers for agents answer one call after the other and cannot cancel one.
pub const TOOL_SECONDS: u64 = 60;

/// Bytes of objects that are cached from one query to the next.
pub const KEPT_BYTES: usize = 32 << 20;

/// Bytes of a path below a sandbox's root, and of one name in it: Linux's limits. A longer one is
/// `fs_denied:`.
pub const PATH_BYTES: usize = 4095;
/// See [`PATH_BYTES`].
pub const PATH_NAME_BYTES: usize = 255;

/// Symbolic links that a path may pass through where access is limited, as in Linux; and its names,
/// including those of the links' targets. Beyond, the path does not resolve.
pub const PATH_LINKS: usize = 40;
/// See [`PATH_LINKS`].
pub const PATH_STEPS: usize = 4096;

/// Names of a directory that are searched for those nearest to a missing one; further ones are not
/// suggested.
pub const DIRECTORY_NAMES: usize = 5_000;

/// Milliseconds that a commit waits for a lock of git's, such as `index.lock`; then it is `stale:`.
pub const GIT_LOCK_MILLIS: u64 = 1_000;

/// Bytes of the message of a commit; more are `too_large:`.
pub const COMMIT_MESSAGE_BYTES: usize = 64 << 10;

/// Bytes of all contents that one commit shows and writes; more are `too_large:`.
pub const COMMIT_BYTES: usize = 64 << 20;

/// Paths and ids of hunks that a commit names; more are `too_large:`.
pub const COMMIT_PARTS: usize = 1_000;

/// Paths that the answer of a commit lists as left out; others are not listed.
pub const COMMIT_LEFT_OUT: usize = 100;

/// Milliseconds that a writer waits for another's lock on the directory; then it is `tool_failed:`.
pub const LOCK_MILLIS: u64 = 10_000;

/// Files that one change of several files may have; more are `too_large:`.
pub const PATCH_FILES: usize = 1_000;

/// How often one patch is planned anew because another writer was faster.
pub const PATCH_TRIES: usize = 64;

/// Bytes of what is recorded of a change of several files; the rest is not read.
pub const INTENT_BYTES: u64 = 16 << 20;

/// Levels of a directory that has the name of one of redline's own files and is removed; deeper
/// ones are `tool_failed:`.
pub const CLEARED_DEPTH: usize = 64;

/// Patterns of reserved names in a sandbox, and bytes of each; more are `invalid_args:`.
pub const RESERVED_PATTERNS: usize = 1_000;
/// See [`RESERVED_PATTERNS`].
pub const RESERVED_PATTERN_BYTES: usize = 1_000;

/// Bytes of the list of a file's extended attributes, and of each; larger ones are not preserved.
pub const XATTR_BYTES: usize = 64 << 10;

/// Workers of all scans of the process, for each of DuckDB's `threads`; beyond, a further scan has
/// one worker.
pub const WORKERS_PER_THREAD: usize = 4;

/// Jobs in flight between the walk and the reader of a scan: bounds memory, not results.
pub const WINDOW_JOBS: usize = 256;

/// Approximate bytes of results that may wait for the reader of a scan before workers wait for it;
/// each worker may exceed it by its current job.
pub const WINDOW_BYTES: usize = 32 << 20;

/// Commits in one job of a walk over a history whose contents are compared: enough that the
/// handover costs nothing. The first jobs are smaller, as a query with a LIMIT may need no more.
pub const JOB_COMMITS: usize = 16;
/// The same where a commit takes microseconds: two workers that wait for each other's walk sleep
/// and are woken once a job.
pub const JOB_SMALL_COMMITS: usize = 64;
/// Commits that a walk has read and keeps until they are returned: others are read again.
pub const WALKED_COMMITS: usize = 4096;
/// Revisions of repositories that a scalar function keeps open between rows.
pub const OPEN_SIDES: usize = 16;
/// Commits that a walk on a thread of its own hands over at once: a handover costs more than
/// reading a few of them.
pub const AHEAD_ITEMS: usize = 32;
/// Such batches by which the walk may be ahead.
pub const AHEAD_BATCHES: usize = 32;
/// Trees for which the location of a followed path is cached.
pub const LOCATED_TREES: usize = 1 << 12;
/// Strings that one walk over changes searches for.
pub const SEARCHED_TEXTS: usize = 256;
/// References that a worker reads at once.
pub const JOB_REFERENCES: usize = 64;

/// Jobs in flight between such a walk and its reader: many, as commits of a range with exclusions
/// are compared during the walk, and none can be returned before the walk has ended.
pub const WINDOW_HISTORY_JOBS: usize = 512;

/// Time that such a walk continues while its jobs have no room; then it checks for a cancel.
pub const WALK_TIME: std::time::Duration = std::time::Duration::from_millis(2);

/// Paths scanned for suggestions when a file is missing.
pub const SUGGESTION_PATHS: usize = 20_000;

/// References scanned for suggestions when a revision is missing.
pub const SUGGESTION_REFERENCES: usize = 4_096;

/// Bytes of a repository's configuration file; a larger one is `too_large:`.
pub const CONFIG_BYTES: u64 = 4 << 20;

/// Levels of directories of references; deeper ones are `too_large:`.
pub const REFERENCE_DEPTH: usize = 64;

/// Directories of references that are opened to list all of them; more are `too_large:`.
pub const REFERENCE_DIRECTORIES: usize = 1 << 17;

/// References of a repository; where all are asked for, more are `too_large:`.
pub const REFERENCES: usize = 1 << 21;

/// Bytes of a reference's own file; a larger one is `too_large:` unless it begins with an id.
pub const REFERENCE_BYTES: u64 = 8 << 10;

/// Bytes of `packed-refs`; a larger file is `too_large:`.
pub const PACKED_REFS_BYTES: u64 = 256 << 20;

/// Tables in which the references of a work tree are stored; more are `too_large:`.
pub const REFERENCE_TABLES: usize = 1 << 12;

/// Bytes of `tables.list`, which names them; a longer one is `too_large:`.
pub const REFERENCE_LIST_BYTES: u64 = 1 << 20;

/// Bytes of a key in such a table: a name, in a log with its suffix; a longer one is corrupt.
pub const REFERENCE_KEY_BYTES: usize = (4 << 10) + 9;

/// Bytes of a reference's log; a larger one is `too_large:` when a revision needs it.
pub const REFLOG_BYTES: u64 = 64 << 20;

/// Bytes of a revision; a longer one is `invalid_args:`.
pub const REVISION_BYTES: usize = 4 << 10;

/// Tags between a name and its target; more are `tool_failed:`.
pub const TAG_DEPTH: usize = 1 << 10;

/// Object stores of a repository, its own and its alternates; more are `too_large:`.
pub const ALTERNATES: usize = 1_000;

/// Lines of `objects/info/alternates` that name a store, over all stores; more are `too_large:`.
pub const ALTERNATE_LINES: usize = 1 << 14;

/// Bytes of `objects/info/alternates`; a larger one is `too_large:`.
pub const ALTERNATES_BYTES: u64 = 1 << 20;

/// Levels of alternates, git's own limit; deeper ones are `too_large:`.
pub const ALTERNATES_DEPTH: usize = 5;

/// Bytes of fingerprints of old files that rename detection holds at once; beyond, new files are
/// read again for each such portion.
pub const RENAME_BYTES: usize = 128 << 20;

/// Bytes of a page of `diff_review`, by default of `max_bytes`; the rest is counted, with the
/// cursor of the next page.
pub const REVIEW_BYTES: usize = 48_000;

/// Ends of a path of another machine that are looked for in a sandbox.
pub const PATH_ENDS: usize = 16;

/// Ends of a range in which a path is looked for that no commit has changed.
pub const SUGGESTION_ENDS: usize = 16;

/// Files and directories that one walk of a sandbox visits; with more it is `too_large:`.
pub const WALK_ENTRIES: usize = 500_000;

/// Levels of directories that such a walk enters; deeper ones are skipped.
pub const WALK_DEPTH: usize = 256;

/// Files and directories searched for an example of a path, or for the repositories of a sandbox.
pub const SURVEY_ENTRIES: usize = 2_000;

/// Levels of directories below a root searched for repositories, and the number of those that are
/// named.
pub const SURVEY_DEPTH: usize = 2;
/// See [`SURVEY_DEPTH`].
pub const SURVEY_REPOSITORIES: usize = 8;

/// Bytes of a glob; a longer one is `invalid_args:`.
pub const GLOB_BYTES: usize = 1_000;
/// Patterns that the braces of a glob expand to; more are `invalid_args:`.
pub const GLOB_ALTERNATIVES: usize = 256;

/// Bytes of a search pattern, and of the compiled expression; more are `invalid_args:`.
pub const PATTERN_TEXT_BYTES: usize = 4_000;
/// See [`PATTERN_TEXT_BYTES`].
pub const PATTERN_PROGRAM_BYTES: usize = 10 << 20;

/// Bytes of a line and its context that a search holds; the rest of a file with a longer one is not
/// searched.
pub const SEARCH_HEAP_BYTES: usize = 32 << 20;

/// Bytes of a matching line that are shown; a longer one is cut.
pub const SEARCH_LINE_BYTES: usize = 500;

/// Lines of context around a match; more are `invalid_args:`.
pub const SEARCH_CONTEXT: usize = 20;

/// Bytes read at once of a file that is not held in memory.
pub const PIECE_BYTES: usize = 256 << 10;

/// Bytes of a tool's answer, by default of `redline_max_answer_bytes`, which is the default of
/// `max_bytes`; the rest is cut, with a hint how to ask for it. Clients show their model answers of
/// this size whole: the least of them, Copilot's, ends at 20,000.
pub const ANSWER_BYTES: usize = 18_000;

/// Bytes of an answer that are reserved for the protocol: the id of the call and the kind of the
/// result.
pub const TRANSPORT_BYTES: usize = 128;

/// Range of `max_bytes`; others are `invalid_args:`. The least fits the totals, a line and a
/// cursor, the most is what a SQL value and an agent can take.
pub const REVIEW_BYTES_RANGE: std::ops::RangeInclusive<i64> = 2_000..=64 << 20;

/// Bytes of the name of a side in a diff for an agent.
pub const LABEL_BYTES: usize = 1_000;

/// Percentage of `max_bytes` in which a page lists files while hunks wait; further files are listed
/// on later pages.
pub const REVIEW_LIST_PERCENT: usize = 40;

/// The share of the list, 1/N, in which the first page counts the files that it does not list.
pub const REVIEW_REST_SHARE: usize = 20;

/// Bytes of hunks up to which a change keeps git's order; in a larger one sources come first.
pub const REVIEW_LARGE_BYTES: usize = 25_000;

/// Files up to which a change keeps git's order.
pub const REVIEW_LARGE_FILES: usize = 200;

/// Directories by which a first page counts changed files that do not fit in its list.
pub const REVIEW_DIRECTORIES: usize = 40;

/// Bytes of the first hunk of a file up to which it is shown before all second hunks.
pub const REVIEW_FIRST_HUNK_BYTES: usize = 2_048;

/// Bytes of a file that the second round of the first page shows; each further round doubles them.
pub const REVIEW_ROUND_BYTES: usize = 512;

/// Bytes of a hunk larger than a page that a page shows at least; with less room it is
/// `too_large:`.
pub const REVIEW_PART_BYTES: usize = 100;

/// Mean bytes of a line of a patch from which a file counts as minified and comes last.
pub const MINIFIED_LINE_BYTES: usize = 1_000;

/// Entries of one directory inside a git directory (references, loose objects, packs); more are
/// `too_large:`.
pub const DIRECTORY_ENTRIES: usize = 1 << 20;

/// Bytes of a file that names a directory: `.git`, `commondir`, `gitdir`; a larger one is
/// `too_large:`.
pub const POINTER_BYTES: u64 = 64 << 10;

/// Bytes of `shallow`, 1.6 million commits; a larger one is `too_large:`.
pub const SHALLOW_BYTES: u64 = 64 << 20;

/// Bytes of an index of a pack whose pages are held in memory; of a larger one they are read each
/// time.
pub const PACK_INDEX_BYTES: u64 = 256 << 20;

/// Bytes of all layers of a commit-graph; a larger one is ignored, and the commits themselves are
/// read.
pub const GRAPH_BYTES: u64 = 512 << 20;

/// Bytes of the list of such layers; a larger one is `too_large:`.
pub const GRAPH_CHAIN_BYTES: u64 = 64 << 10;

/// Bytes of the names of packs in a multi-pack-index; one with more is ignored.
pub const MULTI_INDEX_NAMES_BYTES: usize = 16 << 20;

/// Levels of nested submodules; more are `too_large:`.
pub const SUBMODULE_DEPTH: usize = 32;

/// Open files of packs and their indexes that the process keeps, and at most a quarter of the
/// system's limit; others are opened again when they are read.
pub const POOLED_HANDLES: usize = 256;

/// Parents of a commit; one with more is `tool_failed:`, and a commit-graph with more is ignored
/// for that commit. git itself makes merges of at most some dozens.
pub const PARENTS: usize = 1 << 16;

/// States of a regular expression times bytes of a text that are matched without a check of the
/// budget; beyond, the text is matched in steps. At worst that takes about half a second.
pub const MATCH_STEPS: usize = 1 << 26;

/// Parents of a merge with a combined diff: git's own limit. More are `too_large:`.
pub const COMBINED_PARENTS: usize = 62;

/// Commits on each side of a `range_diff`, merges left out; more are `too_large:`. Each old commit
/// is compared with each new one.
pub const RANGE_DIFF_COMMITS: usize = 1_000;

/// Changed lines of a comparison, up to which the tools report moved lines.
pub const TOLD_MOVED_LINES: usize = 20_000;

/// Pairs of a removed and an added line with the same text, up to which an answer or a page about
/// something else says what was moved: finding that takes a step for each, some 0.1 seconds.
pub const REMARKED_PAIRS: u64 = 20_000_000;

/// Moves that the tools tell, those of most lines.
pub const TOLD_MOVES: usize = 3;

/// Lines of a move that the tools tell: fewer are seen at once.
pub const TOLD_MOVE_LINES: u32 = 5;

/// The divisor for the part of an answer that the moves may take.
pub const TOLD_MOVES_PART: usize = 8;

/// Contents that are copied at once, and files that one call names: beyond, those used longest ago
/// are removed; a call with more is `too_large:`.
pub const COPIES: usize = 1 << 17;

/// Bytes of a pointer to content of Git LFS: the format's own limit. A larger file is no pointer.
pub const LFS_POINTER_BYTES: u64 = 1024;

/// Bytes of contents that are read at once to be copied.
pub const COPIED_AT_ONCE: u64 = 64 << 20;

/// Contents that are read at once to be copied: each open file of Git LFS takes a handle.
pub const COPIED_FILES_AT_ONCE: usize = 64;

/// Bytes of both versions of a file of data up to which tools and pages compare its rows; of a
/// larger one they show the lines alone.
pub const DATA_BYTES: usize = 8 << 20;

/// Unchanged lines on each side of a hunk that a page has folded.
pub const UNCHANGED_LINES: u32 = 20;

/// Bytes of such lines of a file, and of all files of a page: beyond, hunks stand alone.
pub const UNCHANGED_FILE_BYTES: usize = 64 << 10;
/// See [`UNCHANGED_FILE_BYTES`].
pub const UNCHANGED_PAGE_BYTES: usize = 1 << 20;

/// Changed cells of a file of data that a page shows as a table; the others are among its lines.
pub const DATA_CELLS: usize = 500;

/// Bytes of a cell that such a table shows.
pub const DATA_CELL_BYTES: usize = 1_000;
