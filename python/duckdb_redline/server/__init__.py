"""A server for agents: the tools of redline over the Model Context Protocol, on stdin and stdout.

Each directory is a sandbox. A change is shown to a person through the client (elicitation), page by page where it is
long; where the client cannot ask, or there are too many pages, nothing is changed. Every function is called as
system.main.…, which no macro shadows. Needs the package `mcp`: pip install 'duckdb-redline[mcp]'
"""
