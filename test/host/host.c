/*
 * A small host that embeds DuckDB through its C API, loads redline and runs a SQL script from several
 * threads; memory.rs compiles it and runs it, also under valgrind.
 *
 *     host EXTENSION SCRIPT THREADS ROUNDS     runs the script; exit 0 when all went as it says
 *     host self-check leak|overrun             does wrong on purpose: shows that valgrind would see it
 *
 * The script is SQL; a statement ends with a `;` at the end of a line. A line in front of a statement says
 * what is to come of it, otherwise it must succeed:
 *
 *     --! error: TEXT        fails, and the message holds TEXT
 *     --! rows: N            succeeds with N rows
 *     --! partial            streams: one chunk is read, the rest left
 *     --! abandon: N         is dropped after N tasks of its execution
 *     --! interrupt: MS      is interrupted after MS milliseconds; finished or interrupted, both are right
 *     --! own database       from here to `--! shared database`, statements run in a database of the thread's own
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "duckdb.h"

enum kind { PLAIN, PARTIAL, ABANDON, INTERRUPT, OWN_DATABASE, SHARED_DATABASE };

struct step {
	enum kind kind;
	int line;
	char *sql;
	char *error; /* NULL: must succeed */
	long rows;   /* -1: any number */
	int number;  /* tasks of ABANDON, milliseconds of INTERRUPT */
};

struct script {
	struct step *steps;
	size_t count;
};

struct worker {
	pthread_t thread;
	const struct script *script;
	const char *extension;
	duckdb_database shared;
	int rounds;
	int failures;
	uint64_t bytes; /* of all text that was read, so that reading it is no dead code */
};

static void die(const char *what) {
	fprintf(stderr, "host: %s\n", what);
	exit(2);
}

/* ------------------------------------------------------------- the script */

static char *read_file(const char *path) {
	FILE *file = fopen(path, "rb");
	if (!file || fseek(file, 0, SEEK_END) != 0) die("the script cannot be opened");
	long size = ftell(file);
	rewind(file);
	char *text = malloc((size_t)size + 1);
	if (!text || fread(text, 1, (size_t)size, file) != (size_t)size) die("the script cannot be read");
	text[size] = '\0';
	fclose(file);
	return text;
}

static struct step fresh_step(void) {
	return (struct step) {.kind = PLAIN, .rows = -1};
}

static void add_step(struct script *script, struct step step) {
	script->steps = realloc(script->steps, (script->count + 1) * sizeof *script->steps);
	if (!script->steps) die("out of memory");
	script->steps[script->count++] = step;
}

/* Reads a line behind `--! ` into the step that is to come; true when the line is a step by itself. */
static bool read_directive(const char *line, struct step *next) {
	if (strncmp(line, "error: ", 7) == 0) {
		next->error = strdup(line + 7);
	} else if (sscanf(line, "rows: %ld", &next->rows) == 1) {
	} else if (strcmp(line, "partial") == 0) {
		next->kind = PARTIAL;
	} else if (sscanf(line, "abandon: %d", &next->number) == 1) {
		next->kind = ABANDON;
	} else if (sscanf(line, "interrupt: %d", &next->number) == 1) {
		next->kind = INTERRUPT;
	} else if (strcmp(line, "own database") == 0) {
		next->kind = OWN_DATABASE;
		return true;
	} else if (strcmp(line, "shared database") == 0) {
		next->kind = SHARED_DATABASE;
		return true;
	} else {
		fprintf(stderr, "host: unknown directive: %s\n", line);
		exit(2);
	}
	return false;
}

static struct script read_script(const char *path) {
	struct script script = {0};
	struct step next = fresh_step();
	char *text = read_file(path), *rest = text, *line, *sql = NULL;
	size_t length = 0;
	for (int number = 1; (line = strsep(&rest, "\n")); number++) {
		if (strncmp(line, "--! ", 4) == 0) {
			if (sql) die("a directive inside a statement");
			next.line = number;
			if (read_directive(line + 4, &next)) {
				add_step(&script, next);
				next = fresh_step();
			}
			continue;
		}
		size_t size = strlen(line);
		if (size == 0 || strncmp(line, "--", 2) == 0) continue;
		if (!sql) next.line = number;
		sql = realloc(sql, length + size + 2);
		if (!sql) die("out of memory");
		memcpy(sql + length, line, size);
		length += size;
		sql[length++] = '\n';
		sql[length] = '\0';
		if (line[size - 1] == ';') {
			next.sql = sql;
			add_step(&script, next);
			next = fresh_step();
			sql = NULL;
			length = 0;
		}
	}
	if (sql) die("the last statement has no `;`");
	free(text);
	return script;
}

static void free_script(struct script *script) {
	for (size_t i = 0; i < script->count; i++) {
		free(script->steps[i].sql);
		free(script->steps[i].error);
	}
	free(script->steps);
}

/* ------------------------------------------------------------- running it */

static void failed(struct worker *worker, const struct step *step, const char *message) {
	worker->failures++;
	fprintf(stderr, "host: script line %d: %s\n%s", step->line, message, step->sql ? step->sql : "");
}

/* Reads every text of a vector, and below it: a string of which a part was never written is seen by valgrind. */
static void read_vector(struct worker *worker, duckdb_vector vector, idx_t size) {
	uint64_t *validity = duckdb_vector_get_validity(vector);
	duckdb_logical_type type = duckdb_vector_get_column_type(vector);
	switch (duckdb_get_type_id(type)) {
	case DUCKDB_TYPE_VARCHAR: {
		duckdb_string_t *strings = duckdb_vector_get_data(vector);
		for (idx_t row = 0; row < size; row++) {
			if (validity && !duckdb_validity_row_is_valid(validity, row)) continue;
			const char *text = duckdb_string_t_data(&strings[row]);
			for (uint32_t i = 0, length = duckdb_string_t_length(strings[row]); i < length; i++) {
				if (text[i] != '\0') worker->bytes++;
			}
		}
		break;
	}
	case DUCKDB_TYPE_BIGINT: {
		int64_t *values = duckdb_vector_get_data(vector);
		for (idx_t row = 0; row < size; row++) {
			if ((!validity || duckdb_validity_row_is_valid(validity, row)) && values[row] != 0) worker->bytes++;
		}
		break;
	}
	case DUCKDB_TYPE_LIST:
		read_vector(worker, duckdb_list_vector_get_child(vector), duckdb_list_vector_get_size(vector));
		break;
	case DUCKDB_TYPE_STRUCT:
		for (idx_t i = 0; i < duckdb_struct_type_child_count(type); i++) {
			read_vector(worker, duckdb_struct_vector_get_child(vector, i), size);
		}
		break;
	default:
		break;
	}
	duckdb_destroy_logical_type(&type);
}

/* Reads chunks of a result, at most `most`; returns how many rows they had. */
static long read_result(struct worker *worker, duckdb_result *result, int most) {
	long rows = 0;
	duckdb_data_chunk chunk;
	while (most-- > 0 && (chunk = duckdb_fetch_chunk(*result))) {
		idx_t size = duckdb_data_chunk_get_size(chunk);
		rows += (long)size;
		for (idx_t i = 0; i < duckdb_data_chunk_get_column_count(chunk); i++) {
			read_vector(worker, duckdb_data_chunk_get_vector(chunk, i), size);
		}
		duckdb_destroy_data_chunk(&chunk);
	}
	return rows;
}

/* Compares what came of a step with what the script says. */
static void judge(struct worker *worker, const struct step *step, const char *error, long rows) {
	char message[1024];
	if (error && !step->error) {
		snprintf(message, sizeof message, "failed: %s", error);
		failed(worker, step, message);
	} else if (!error && step->error) {
		failed(worker, step, "should have failed");
	} else if (error && !strstr(error, step->error)) {
		snprintf(message, sizeof message, "failed in another way: %s", error);
		failed(worker, step, message);
	} else if (!error && step->rows >= 0 && rows != step->rows) {
		snprintf(message, sizeof message, "%ld rows instead of %ld", rows, step->rows);
		failed(worker, step, message);
	}
}

static void run_plain(struct worker *worker, duckdb_connection connection, const struct step *step) {
	duckdb_result result;
	bool good = duckdb_query(connection, step->sql, &result) == DuckDBSuccess;
	long rows = good ? read_result(worker, &result, INT32_MAX) : 0;
	judge(worker, step, good ? NULL : duckdb_result_error(&result), rows);
	duckdb_destroy_result(&result);
}

/* Starts a statement; the caller drops it. False after the failure was noted. */
static bool start(struct worker *worker, duckdb_connection connection, const struct step *step,
                  duckdb_prepared_statement *prepared, duckdb_pending_result *pending) {
	if (duckdb_prepare(connection, step->sql, prepared) != DuckDBSuccess) {
		failed(worker, step, duckdb_prepare_error(*prepared));
		duckdb_destroy_prepare(prepared);
		return false;
	}
	if (duckdb_pending_prepared_streaming(*prepared, pending) != DuckDBSuccess) {
		failed(worker, step, duckdb_pending_error(*pending));
		duckdb_destroy_pending(pending);
		duckdb_destroy_prepare(prepared);
		return false;
	}
	return true;
}

static void run_partial(struct worker *worker, duckdb_connection connection, const struct step *step) {
	duckdb_prepared_statement prepared = NULL;
	duckdb_pending_result pending = NULL;
	duckdb_result result;
	if (!start(worker, connection, step, &prepared, &pending)) return;
	if (duckdb_execute_pending(pending, &result) != DuckDBSuccess) {
		failed(worker, step, duckdb_result_error(&result));
	} else if (read_result(worker, &result, 1) == 0) {
		failed(worker, step, "gave no row");
	}
	duckdb_destroy_result(&result);
	duckdb_destroy_pending(&pending);
	duckdb_destroy_prepare(&prepared);
}

static void run_abandon(struct worker *worker, duckdb_connection connection, const struct step *step) {
	duckdb_prepared_statement prepared = NULL;
	duckdb_pending_result pending = NULL;
	if (!start(worker, connection, step, &prepared, &pending)) return;
	for (int i = 0; i < step->number; i++) {
		duckdb_pending_state state = duckdb_pending_execute_task(pending);
		if (state == DUCKDB_PENDING_ERROR) failed(worker, step, duckdb_pending_error(pending));
		if (state == DUCKDB_PENDING_ERROR || duckdb_pending_execution_is_finished(state)) break;
	}
	duckdb_destroy_pending(&pending);
	duckdb_destroy_prepare(&prepared);
}

struct alarm {
	duckdb_connection connection;
	int milliseconds;
};

static void *ring(void *argument) {
	struct alarm *alarm = argument;
	usleep((useconds_t)alarm->milliseconds * 1000);
	duckdb_interrupt(alarm->connection);
	return NULL;
}

static void run_interrupt(struct worker *worker, duckdb_connection connection, const struct step *step) {
	struct alarm alarm = {connection, step->number};
	pthread_t thread;
	duckdb_result result;
	if (pthread_create(&thread, NULL, ring, &alarm) != 0) die("no thread");
	if (duckdb_query(connection, step->sql, &result) == DuckDBSuccess) {
		read_result(worker, &result, INT32_MAX);
	} else if (!strstr(duckdb_result_error(&result), "INTERRUPT")) {
		failed(worker, step, duckdb_result_error(&result));
	}
	duckdb_destroy_result(&result);
	pthread_join(thread, NULL);
}

static duckdb_database open_database(void) {
	duckdb_config config;
	duckdb_database database;
	char *error = NULL;
	if (duckdb_create_config(&config) != DuckDBSuccess) die("no configuration");
	duckdb_set_config(config, "allow_unsigned_extensions", "true");
	duckdb_set_config(config, "threads", "2");
	if (duckdb_open_ext(NULL, &database, config, &error) != DuckDBSuccess) die(error ? error : "no database");
	duckdb_destroy_config(&config);
	return database;
}

static void load(duckdb_connection connection, const char *extension) {
	char sql[4096];
	duckdb_result result;
	snprintf(sql, sizeof sql, "LOAD '%s'", extension);
	if (duckdb_query(connection, sql, &result) != DuckDBSuccess) die(duckdb_result_error(&result));
	duckdb_destroy_result(&result);
}

static void *work(void *argument) {
	struct worker *worker = argument;
	for (int round = 0; round < worker->rounds; round++) {
		duckdb_connection shared, own = NULL;
		duckdb_database database = NULL;
		if (duckdb_connect(worker->shared, &shared) != DuckDBSuccess) die("no connection");
		load(shared, worker->extension);
		for (size_t i = 0; i < worker->script->count; i++) {
			const struct step *step = &worker->script->steps[i];
			duckdb_connection connection = own ? own : shared;
			switch (step->kind) {
			case OWN_DATABASE:
				database = open_database();
				if (duckdb_connect(database, &own) != DuckDBSuccess) die("no connection");
				load(own, worker->extension);
				break;
			case SHARED_DATABASE:
				duckdb_disconnect(&own);
				duckdb_close(&database);
				own = NULL;
				break;
			case PLAIN:
				run_plain(worker, connection, step);
				break;
			case PARTIAL:
				run_partial(worker, connection, step);
				break;
			case ABANDON:
				run_abandon(worker, connection, step);
				break;
			case INTERRUPT:
				run_interrupt(worker, connection, step);
				break;
			}
		}
		if (own) die("`--! own database` without `--! shared database`");
		duckdb_disconnect(&shared);
	}
	return NULL;
}

static int self_check(const char *what) {
	volatile size_t size = 16;
	volatile char *block = calloc(size, 1);
	if (!block) die("out of memory");
	if (strcmp(what, "overrun") == 0) {
		block[size] = 1;
		free((void *)block);
	}
	block = NULL; /* else leaked */
	return 0;
}

int main(int count, char **arguments) {
	if (count == 3 && strcmp(arguments[1], "self-check") == 0) return self_check(arguments[2]);
	if (count != 5) die("usage: host EXTENSION SCRIPT THREADS ROUNDS");
	struct script script = read_script(arguments[2]);
	int threads = atoi(arguments[3]), failures = 0;
	uint64_t bytes = 0;
	struct worker *workers = calloc((size_t)threads, sizeof *workers);
	if (threads < 1 || !workers) die("no threads");
	duckdb_database shared = open_database();
	for (int i = 0; i < threads; i++) {
		workers[i] = (struct worker) {
		    .script = &script, .extension = arguments[1], .shared = shared, .rounds = atoi(arguments[4])};
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) die("no thread");
	}
	for (int i = 0; i < threads; i++) {
		pthread_join(workers[i].thread, NULL);
		failures += workers[i].failures;
		bytes += workers[i].bytes;
	}
	duckdb_close(&shared);
	printf("host: %zu steps, %d threads, %s rounds, %llu bytes of text read, %d failures\n", script.count, threads,
	       arguments[4], (unsigned long long)bytes, failures);
	free(workers);
	free_script(&script);
	return failures ? 1 : 0;
}
