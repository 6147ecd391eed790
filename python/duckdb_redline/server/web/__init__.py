"""Approvals on a page in the person's browser, on 127.0.0.1, for clients that cannot ask.

The page has no script and loads nothing from elsewhere. It is built as a tree of elements, so that no text of an agent
or of a file can become markup.
"""
