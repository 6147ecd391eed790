/* An extension whose functions have the names that the test gives: scalar functions in SCALARS, table functions in TABLES.
   Every one answers 'theirs'. */

#include "duckdb_extension.h"

DUCKDB_EXTENSION_EXTERN

static const char *const scalars[] = {SCALARS NULL};
static const char *const tables[] = {TABLES NULL};

static void answer(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    (void)info;
    idx_t rows = duckdb_data_chunk_get_size(input);
    for (idx_t row = 0; row < rows; row++) {
        duckdb_vector_assign_string_element(output, row, "theirs");
    }
}

static duckdb_state add_scalar(duckdb_connection connection, const char *name) {
    duckdb_scalar_function function = duckdb_create_scalar_function();
    duckdb_logical_type text = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
    duckdb_scalar_function_set_name(function, name);
    duckdb_scalar_function_add_parameter(function, text);
    duckdb_scalar_function_add_parameter(function, text);
    duckdb_scalar_function_set_return_type(function, text);
    duckdb_scalar_function_set_function(function, answer);
    duckdb_state state = duckdb_register_scalar_function(connection, function);
    duckdb_destroy_logical_type(&text);
    duckdb_destroy_scalar_function(&function);
    return state;
}

static void bind_table(duckdb_bind_info info) {
    duckdb_logical_type text = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
    duckdb_bind_add_result_column(info, "whose", text);
    duckdb_destroy_logical_type(&text);
}

static void init_table(duckdb_init_info info) { duckdb_init_set_init_data(info, duckdb_malloc(1), duckdb_free); }

static void scan_table(duckdb_function_info info, duckdb_data_chunk output) {
    (void)info;
    duckdb_data_chunk_set_size(output, 0);
}

static duckdb_state add_table(duckdb_connection connection, const char *name) {
    duckdb_table_function function = duckdb_create_table_function();
    duckdb_logical_type text = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
    duckdb_table_function_set_name(function, name);
    duckdb_table_function_add_parameter(function, text);
    duckdb_table_function_set_bind(function, bind_table);
    duckdb_table_function_set_init(function, init_table);
    duckdb_table_function_set_function(function, scan_table);
    duckdb_state state = duckdb_register_table_function(connection, function);
    duckdb_destroy_logical_type(&text);
    duckdb_destroy_table_function(&function);
    return state;
}

DUCKDB_EXTENSION_ENTRYPOINT(duckdb_connection connection, duckdb_extension_info info, struct duckdb_extension_access *access) {
    for (int i = 0; scalars[i]; i++) {
        if (add_scalar(connection, scalars[i]) == DuckDBError) {
            access->set_error(info, "standin: a scalar function cannot be registered");
            return false;
        }
    }
    for (int i = 0; tables[i]; i++) {
        if (add_table(connection, tables[i]) == DuckDBError) {
            access->set_error(info, "standin: a table function cannot be registered");
            return false;
        }
    }
    return true;
}
