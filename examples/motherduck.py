"""Runs mcp-server-motherduck with redline in it, which its own options cannot do: they have no way to allow an
extension that is not signed.

    python examples/motherduck.py --db-path :memory: --read-write --init-sql init.sql

The arguments are those of mcp-server-motherduck (`pip install mcp-server-motherduck==1.1.0`). The init SQL loads the
extension and locks the host, as sql/lockdown.sql does: agents have a query tool here, which runs any SQL.
"""

import functools

import duckdb

connect = duckdb.connect


@functools.wraps(connect)
def connect_unsigned(*arguments, config=None, **more):
    return connect(
        *arguments, config={**(config or {}), "allow_unsigned_extensions": "true"}, **more
    )


duckdb.connect = connect_unsigned

if __name__ == "__main__":
    from mcp_server_motherduck import main

    main()
