//! Every limit by name: its unit, its value, and what happens when it is hit.

/// Rows in one chunk handed to DuckDB: the size of its vectors. A chunk over it crashes 1.5.6.
pub const CHUNK_ROWS: usize = 2048;

/// Bytes, about, in one chunk; when they are reached the chunk goes out with fewer rows, so that
/// DuckDB's `memory_limit` is charged in steps it can refuse.
pub const CHUNK_BYTES: usize = 8 << 20;

/// Milliseconds after which a scan hands over the rows it has: DuckDB looks for a cancelled query
/// only between chunks.
pub const CHUNK_MILLIS: u64 = 20;

/// How long the first chunk of a history waits for more rows than it has; each one after it waits twice as long, up to
/// [`CHUNK_MILLIS`]. A query with a small LIMIT wants no more.
pub const FIRST_CHUNK_TIME: std::time::Duration = std::time::Duration::from_millis(1);

/// Rows from which such a chunk is handed over early. DuckDB's operators hold smaller ones back, and then hand over the
/// rows of a later one first.
pub const FIRST_CHUNK_ROWS: usize = 64;

/// Microseconds after which the rest of the rows that a scalar function was called with is shared out to idle threads:
/// several times what it takes to start them.
pub const ROWS_SHARED_AFTER_MICROS: u64 = 500;

/// Rows that are timed before quick ones are told from long ones, where only long ones are shared out.
pub const TIMED_ROWS: usize = 8;

/// Microseconds that a row of `file_content` must take on average for threads of ours to help: a file of a side that is
/// open takes a few.
pub const FILE_SHARED_FROM_MICROS: u64 = 100;

/// Rows that a thread takes at once of those that are shared out.
pub const SHARED_ROWS: usize = 64;

/// Bytes in one SQL value. DuckDB stores lengths in 32 bits and would silently wrap beyond; a
/// longer value is `too_large:` (NULL from a function that never raises).
pub const VALUE_BYTES: usize = u32::MAX as usize;

/// Bytes of a file that is read for `diff_files` and the file tools, while `redline_max_read_bytes`
/// says nothing else; a larger file is `too_large:` and not read.
pub const MAX_READ_BYTES: u64 = 4 << 20;

/// Bytes of a diff that `diff_texts`, `diff_files` and the tools give back, while
/// `redline_max_diff_bytes` says nothing else; a longer one is cut at the end of a line.
pub const MAX_DIFF_BYTES: u64 = 2 << 20;

/// Bytes of a text that `diff_texts` compares; a longer one is `too_large:`. Two texts of this size
/// without anything in common take minutes, which nothing could cancel.
pub const DIFF_TEXT_BYTES: usize = 64 << 20;

/// Seconds for which an approval holds, while `redline_approval_ttl_seconds` says nothing else.
pub const APPROVAL_TTL_SECONDS: u64 = 900;

/// Bytes of results and payloads that wait for an approval, while `redline_max_waiting_bytes` says nothing else;
/// beyond, the oldest that nobody has approved are forgotten and must be proposed again. One proposal that is larger by
/// itself is `too_large:`.
pub const WAITING_BYTES: u64 = 64 << 20;

/// Proposals of one session that may wait, while `redline_max_proposals` says nothing else; another is `too_large:`.
pub const MAX_PROPOSALS: u64 = 1_000;

/// Calls of tools that a session may make in a minute, while `redline_max_calls` says nothing else; 0 is no limit. A
/// call beyond is `too_large:`.
pub const MAX_CALLS: u64 = 0;

/// Sessions whose calls are counted at once; beyond, those that have made none for a minute are forgotten, and without
/// any such a call of a new session is `too_large:`.
pub const COUNTED_SESSIONS: usize = 10_000;

/// Sessions for which one connection may do as much as it may for one: it waits for `redline_max_proposals` of each, and
/// names as many anew in a minute. More is `too_large:`; the holder of the host's key names as many as there are clients.
pub const SESSIONS_OF_CONNECTION: usize = 100;

/// Bytes of the name of a session; a longer one is `invalid_args:`.
pub const SESSION_BYTES: usize = 256;

/// Lines of a page of `approval_pages`, from what a box needs to what bounds its work; others are `invalid_args:`.
pub const PAGE_LINES: std::ops::RangeInclusive<i64> = 8..=100_000;

/// Edits in one call; more are `too_large:`.
pub const EDITS: usize = 10_000;

/// Characters of the longest marker around a conflict.
pub const MARKER_CHARS: usize = 1000;

/// Bytes of a text that is compared word by word; a longer one gives NULL. Two texts of this size
/// without anything in common take seconds, which nothing could cancel.
pub const INLINE_BYTES: usize = 1 << 20;

/// Bytes of removed and added lines in a row whose words are compared for emphasis in an approval's
/// display; a longer block is shown without.
pub const EMPHASIS_BYTES: usize = 8 << 10;

/// Bytes of all such blocks of one display; those behind are shown without emphasis.
pub const EMPHASIS_TOTAL_BYTES: usize = 128 << 10;

/// Columns of an approval's display, from what a prompt needs to what bounds its padding; other
/// widths are `invalid_args:`.
pub const DISPLAY_COLUMNS: std::ops::RangeInclusive<i64> = 20..=1000;

/// Levels of directories in a tree, git's own `core.maxTreeDepth`; deeper is `tool_failed:`.
pub const TREE_DEPTH: usize = 2048;

/// Bytes of one git object that are read into memory, twice git's `core.bigFileThreshold`. A blob
/// over the threshold is binary, as in git; any other object over this limit is `too_large:`.
pub const OBJECT_BYTES: u64 = 1 << 30;

/// Bytes above which a blob counts as binary where the repository's configuration says nothing:
/// git's default of `core.bigFileThreshold`.
pub const BIG_FILE_BYTES: u64 = 512 << 20;

/// Bytes of a `.gitattributes` file; a larger one is `too_large:` (git ignores those over 100 MiB).
pub const ATTRIBUTES_BYTES: u64 = 4 << 20;

/// Paths whose attributes a thread remembers; beyond, it forgets them all and starts again.
pub const ATTRIBUTE_PATHS: usize = 1 << 14;

/// Bytes of a `.mailmap`; a larger one is `too_large:`.
pub const MAILMAP_BYTES: u64 = 16 << 20;

/// Bytes of a `.gitignore` file; a larger one is `too_large:`.
pub const IGNORE_BYTES: u64 = 4 << 20;

/// Bytes of the files of one kind, `.gitattributes` or `.gitignore`, in a directory and those above it; more are
/// `too_large:`.
pub const PATTERN_BYTES: usize = 16 << 20;

/// Steps of comparing one path with the patterns of such files, each a pattern that is tried or a byte that is compared;
/// more are `too_large:`.
pub const PATTERN_STEPS: u64 = 1 << 20;

/// Names of references that an answer shows for one commit.
pub const SHOWN_REFERENCES: usize = 10;

/// Bytes of an index file; a larger one is `too_large:`, and so is one whose paths unfold (version 4) to over eight times
/// its bytes and 1 MiB.
pub const INDEX_BYTES: u64 = 512 << 20;

/// Entries of an index, those of the directories of a sparse one among them; more are `too_large:`.
pub const INDEX_ENTRIES: usize = 1 << 22;

/// Bytes of a path in an index, one more than Linux opens; an index with a longer one is `too_large:`.
pub const INDEX_PATH_BYTES: usize = 4096;

/// Bytes that a query may hold at once in what grows with its input: objects that were read, tables of lines,
/// diffs and patches. More is `too_large:`. It leaves room for two versions of the largest object that is read
/// ([`OBJECT_BYTES`]), and is what a host of 4 GiB can give.
pub const QUERY_BYTES: usize = 2 << 30;

/// Bytes of memory that the system must be able to give when DuckDB calls a function, or the call is `too_large:`.
pub const HEADROOM_BYTES: usize = 64 << 20;

/// Seconds that a function may take in a query, while `redline_max_seconds` says nothing else; then it is `timeout:`.
/// DuckDB does not tell a function before its first row, nor a scalar function at all, that its query was interrupted.
pub const FUNCTION_SECONDS: u64 = 600;

/// Seconds that a call of a tool may take, while `redline_max_seconds` says nothing else; then it is `timeout:`. A
/// server for agents answers one call after the other and has nobody who would cancel one.
pub const TOOL_SECONDS: u64 = 60;

/// Bytes of objects up to which they are kept from one query to the next.
pub const KEPT_BYTES: usize = 32 << 20;

/// Bytes of objects that a query keeps, while `redline_cache_bytes` says nothing else; what was not used for longest
/// makes room, and is read again when it is needed.
pub const CACHE_BYTES: u64 = 256 << 20;

/// Bytes of a path beneath a sandbox's root, and of one name in it: what Linux opens. A longer one
/// is `fs_denied:`.
pub const PATH_BYTES: usize = 4095;
/// See [`PATH_BYTES`].
pub const PATH_NAME_BYTES: usize = 255;

/// Links that a path may lead through where access is limited, as in Linux; and names, those of its links' targets
/// included. Beyond, it leads nowhere.
pub const PATH_LINKS: usize = 40;
/// See [`PATH_LINKS`].
pub const PATH_STEPS: usize = 4096;

/// Names in a directory looked at when the nearest to a missing one are searched; beyond, the hint is
/// drawn from those seen.
pub const DIRECTORY_NAMES: usize = 5_000;

/// Milliseconds that a writer waits for another that has locked the directory; then it is `tool_failed:`.
pub const LOCK_MILLIS: u64 = 10_000;

/// Levels of directories that are removed where a name of redline's own was taken by one; deeper is `tool_failed:`.
pub const CLEARED_DEPTH: usize = 64;

/// Patterns of reserved names in a sandbox, and bytes of each; more are `invalid_args:`.
pub const RESERVED_PATTERNS: usize = 1_000;
/// See [`RESERVED_PATTERNS`].
pub const RESERVED_PATTERN_BYTES: usize = 1_000;

/// Bytes of the list of a file's extended attributes, and of each; larger ones are not kept.
pub const XATTR_BYTES: usize = 64 << 10;

/// Workers of all scans of the process together for each of DuckDB's `threads`; when they are used up, a further
/// scan has one worker.
pub const WORKERS_PER_THREAD: usize = 4;

/// Jobs in flight between the walk and the reader of a scan: bounds memory, not results.
pub const WINDOW_JOBS: usize = 256;

/// Bytes of results, about, that may wait for the reader of a scan before workers wait for it; each goes beyond by the
/// job that it is at.
pub const WINDOW_BYTES: usize = 32 << 20;

/// Commits in one job of a walk over a history: enough that handing them over costs nothing. The first
/// jobs are smaller, as a query with a LIMIT may want no more.
pub const JOB_COMMITS: usize = 16;
/// Revisions of repositories that a scalar function keeps open between rows.
pub const OPEN_SIDES: usize = 16;
/// Commits that a walk on a thread of its own hands over at once: a handover costs more than reading a few of them.
pub const AHEAD_ITEMS: usize = 32;
/// Such handovers by which the walk may be ahead.
pub const AHEAD_BATCHES: usize = 32;
/// Trees in which it is remembered where a followed path leads.
pub const LOCATED_TREES: usize = 1 << 12;
/// Texts that one walk over changes looks for.
pub const SEARCHED_TEXTS: usize = 256;
/// References that a worker reads at once.
pub const JOB_REFERENCES: usize = 64;

/// Jobs in flight between such a walk and its reader: many, as a range that leaves something out is compared while it
/// is walked, and nothing can be read before the walk has ended.
pub const WINDOW_HISTORY_JOBS: usize = 512;

/// How long such a walk goes on at once while its jobs have no room; then a cancel is looked for.
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

/// Bytes of a key in such a table: a name, of a log with what follows it; a longer one is damage.
pub const REFERENCE_KEY_BYTES: usize = (4 << 10) + 9;

/// Bytes of a reference's log; a larger one is `too_large:` when a revision asks for it.
pub const REFLOG_BYTES: u64 = 64 << 20;

/// Bytes of a revision; a longer one is `invalid_args:`.
pub const REVISION_BYTES: usize = 4 << 10;

/// Tags between a name and what it leads to; more are `tool_failed:`.
pub const TAG_DEPTH: usize = 1 << 10;

/// Object stores that a repository borrows from, its own included; more are `too_large:`.
pub const ALTERNATES: usize = 1_000;

/// Lines of `objects/info/alternates` that name a store, over all stores; more are `too_large:`.
pub const ALTERNATE_LINES: usize = 1 << 14;

/// Bytes of `objects/info/alternates`; a larger one is `too_large:`.
pub const ALTERNATES_BYTES: u64 = 1 << 20;

/// Levels of borrowed object stores, git's own limit; deeper ones are `too_large:`.
pub const ALTERNATES_DEPTH: usize = 5;

/// Bytes of fingerprints of old files that rename detection holds at once; beyond, new files are read once
/// more for each such portion.
pub const RENAME_BYTES: usize = 128 << 20;

/// Bytes of the pages of `diff_review`, while `max_bytes` says nothing else; what has no room is counted
/// with the cursor that asks for it.
pub const REVIEW_BYTES: usize = 48_000;

/// Files and directories that one walk of a sandbox comes by; with more it is `too_large:`.
pub const TOUR_ENTRIES: usize = 500_000;

/// Levels of directories that such a walk enters; deeper ones are passed over.
pub const TOUR_DEPTH: usize = 256;

/// Files and directories looked at for an example of a path, or for the repositories of a sandbox.
pub const SURVEY_ENTRIES: usize = 2_000;

/// Levels of directories below a root in which repositories are looked for, and how many are named.
pub const SURVEY_DEPTH: usize = 2;
/// See [`SURVEY_DEPTH`].
pub const SURVEY_REPOSITORIES: usize = 8;

/// Bytes of a glob; a longer one is `invalid_args:`.
pub const GLOB_BYTES: usize = 1_000;
/// Patterns that the braces of a glob stand for; more are `invalid_args:`.
pub const GLOB_ALTERNATIVES: usize = 256;

/// Bytes of a pattern that is searched for, and of the program that an expression becomes; more are `invalid_args:`.
pub const PATTERN_TEXT_BYTES: usize = 4_000;
/// See [`PATTERN_TEXT_BYTES`].
pub const PATTERN_PROGRAM_BYTES: usize = 10 << 20;

/// Bytes of a line, with the lines around it, that a search holds; the rest of a file with a longer one is not searched.
pub const SEARCH_HEAP_BYTES: usize = 32 << 20;

/// Bytes of a found line that are shown; a longer one is cut.
pub const SEARCH_LINE_BYTES: usize = 500;

/// Lines around a found one; more are `invalid_args:`.
pub const SEARCH_CONTEXT: usize = 20;

/// Bytes that are read at once of a file that is not held in memory.
pub const PIECE_BYTES: usize = 256 << 10;

/// Bytes of a tool's answer, while `max_bytes` says nothing else; what has no room is cut, with what asks for the rest.
pub const ANSWER_BYTES: usize = 25_000;

/// Bytes of an answer that are left to the protocol, which wraps it: the id of the call and the kind of the result.
pub const TRANSPORT_BYTES: usize = 128;

/// What `max_bytes` may be: room for the totals, a line and a cursor at least, and what a SQL value
/// and an agent can take at most. Others are `invalid_args:`.
pub const REVIEW_BYTES_RANGE: std::ops::RangeInclusive<i64> = 2_000..=64 << 20;

/// Bytes of the name of a side in a diff that an agent asks for.
pub const LABEL_BYTES: usize = 1_000;

/// The part of `max_bytes`, in percent, in which a page lists files while hunks wait; files beyond are
/// listed on later pages.
pub const REVIEW_LIST_PERCENT: usize = 40;

/// The part of the list, one in so many, in which the first page counts the files that it does not list.
pub const REVIEW_REST_SHARE: usize = 20;

/// Bytes of hunks up to which a change keeps git's order: above, sources come first.
pub const REVIEW_LARGE_BYTES: usize = 25_000;

/// Files up to which it does.
pub const REVIEW_LARGE_FILES: usize = 200;

/// Directories by which a first page counts changed files that it has no room to list.
pub const REVIEW_DIRECTORIES: usize = 40;

/// Bytes of the first hunk of a file up to which it is shown before all second hunks.
pub const REVIEW_FIRST_HUNK_BYTES: usize = 2_048;

/// Bytes of a file that the second round of the first page shows; each further round shows twice as many.
pub const REVIEW_ROUND_BYTES: usize = 512;

/// Bytes of a hunk larger than a page that a page shows at least; with less room it is `too_large:`.
pub const REVIEW_PART_BYTES: usize = 100;

/// Bytes of a line of a patch on average above which a file counts as minified: it comes last.
pub const MINIFIED_LINE_BYTES: usize = 1_000;

/// Entries of one directory inside a git directory (references, loose objects, packs); more are `too_large:`.
pub const DIRECTORY_ENTRIES: usize = 1 << 20;

/// Bytes of a file that names a directory: `.git`, `commondir`, `gitdir`; a larger one is `too_large:`.
pub const POINTER_BYTES: u64 = 64 << 10;

/// Bytes of `shallow`, 1.6 million commits; a larger one is `too_large:`.
pub const SHALLOW_BYTES: u64 = 64 << 20;

/// Bytes of an index of a pack that are held in memory; of a larger one only what is asked for is read.
pub const PACK_INDEX_BYTES: u64 = 256 << 20;

/// Bytes of all layers of a commit-graph; a larger one is passed over, and the commits themselves are read.
pub const GRAPH_BYTES: u64 = 512 << 20;

/// Bytes of the list of such layers; a larger one is `too_large:`.
pub const GRAPH_CHAIN_BYTES: u64 = 64 << 10;

/// Bytes of the names of packs in a multi-pack-index; with more it is passed over.
pub const MULTI_INDEX_NAMES_BYTES: usize = 16 << 20;

/// Submodules that lie in each other and are looked into; more are `too_large:`.
pub const SUBMODULE_DEPTH: usize = 32;

/// Open files that the process keeps of packs and their indexes, and never more than a quarter of what the system
/// allows it; others are opened again when they are read.
pub const POOLED_HANDLES: usize = 256;

/// Parents of a commit; one with more is `tool_failed:`, and a commit-graph is not believed about it. git itself makes
/// merges of at most some dozens.
pub const PARENTS: usize = 1 << 16;

/// States of a regular expression times bytes of a text that are matched without a look at the budget; beyond, the text is
/// matched in steps. At the slowest that is about half a second.
pub const MATCH_STEPS: usize = 1 << 26;

/// Parents of a merge whose combined diff is written: what git's own sets of parents hold. More are `too_large:`.
pub const COMBINED_PARENTS: usize = 62;
