"""The page of `redline report`: questions to the history of a repository, each with a picture, its rows and its SQL.

| module | holds |
|---|---|
| `questions` | the SQL, and the rows that answer it |
| `charts` | one picture of each question, drawn by matplotlib |
| `vectors` | what matplotlib has drawn as a part of a page: classes for styles, a title for each mark |
| `treemap` | where the tiles of a treemap are |
| `page` | the page itself |

The page has no script and asks for nothing. Needs the package `matplotlib`: pip install 'duckdb-redline[report]'
"""
