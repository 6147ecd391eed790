"""A server for agents: the tools of redline over the Model Context Protocol, on stdin and stdout or over HTTP.

Each directory is a sandbox. A person sees a change before it is made: in the forms of the client, at the server's
terminal, or on a page in a browser; what cannot be shown whole is not changed. Every function is called as
system.main.…, which no macro shadows. Needs the package `mcp`: pip install 'duckdb-redline[mcp]'
"""
