"""The tools and the server as a client is told of them, as plain JSON: nothing of the SDK is needed for it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .answers import ANSWER_BYTES

if TYPE_CHECKING:
    from .host import Host

# The name of the tool that runs SQL.
QUERY = "query"
# The columns of redline_tools(), the names that the protocol has for them, and how their text is read.
COLUMNS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "name": ("name", str), "title": ("title", str), "description": ("description", str), "input_schema": ("inputSchema", json.loads),
    "output_schema": ("outputSchema", json.loads), "annotations": ("annotations", json.loads),
}  # fmt: skip
DESCRIPTION = """\
Runs one SELECT in DuckDB's SQL, read-only, over redline's functions. FROM redline_help() lists them. Files and repositories are named as in \
the other tools (SANDBOX/path); read_csv and other readers of files are closed. Each row is a JSON array. Nothing is kept between calls.
Example: SELECT author_name, count(*) FROM commits('main~100..main', 'workspace') GROUP BY ALL ORDER BY 2 DESC"""
QUERY_TOOL: dict[str, Any] = {
    "name": QUERY,
    "title": "SQL query",
    "description": DESCRIPTION,
    "inputSchema": {
        "type": "object",
        "properties": {
            "sql": {
                "type": "string",
                "description": "One statement: SELECT, FROM, WITH, VALUES, DESCRIBE, SUMMARIZE or SHOW",
            },
            "limit": {"type": "integer", "description": "Most rows. Default: 1000."},
            "max_bytes": {
                "type": "integer",
                "description": "Most bytes of the answer.",
                "default": ANSWER_BYTES,
            },
        },
        "required": ["sql"],
        "additionalProperties": False,
    },
    "outputSchema": {
        "type": "object",
        "properties": {
            "columns": {"type": "array", "items": {"type": "string"}},
            "rows": {"type": "array", "items": {"type": "array"}},
            "cut": {
                "type": ["string", "null"],
                "description": "The limit that has cut the rows; null where these are all",
            },
        },
        "required": ["columns", "rows", "cut"],
    },
    "annotations": {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    },
}


class Listed:
    """What a server tells of itself: its instructions, and the tools for each client."""

    def __init__(self, host: Host, structured: bool, has_query: bool) -> None:
        """Reads the tools that the database grants; they have the schemas of answers where these have values."""
        con = host.con.cursor()
        ((self.instructions, granted),) = con.execute(
            "SELECT instructions, grants FROM system.main.redline_capabilities()"
        ).fetchall()
        rows = con.execute(
            f"SELECT {', '.join(COLUMNS)} FROM system.main.redline_tools()"
        ).fetchall()
        tools = [
            {name: read(text) for (name, read), text in zip(COLUMNS.values(), row)} for row in rows
        ]
        tools = [tool for tool in tools if tool["name"] in granted] + [QUERY_TOOL] * has_query
        left_out = set() if structured else {"outputSchema"}
        self.tools = [
            {name: value for name, value in tool.items() if name not in left_out} for tool in tools
        ]
        self.writing = host.writing

    def names(self, can_ask: bool) -> list[str]:
        """Returns the names of the tools for a client; one that cannot ask a person is not offered those that need approval."""
        return [tool["name"] for tool in self.tools if can_ask or tool["name"] not in self.writing]

    def offered(self, can_ask: bool, max_bytes: int) -> list[dict[str, Any]]:
        """Returns these tools, with the bytes of an answer as its default."""
        names = self.names(can_ask)
        tools = copy.deepcopy([tool for tool in self.tools if tool["name"] in names])
        for tool in tools:
            if "max_bytes" in (properties := tool["inputSchema"]["properties"]):
                properties["max_bytes"]["default"] = max_bytes
        return tools
