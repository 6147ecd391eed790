"""A plugin of dbt-duckdb: every connection of dbt has redline and its macros.

plugins: [{module: duckdb_redline.dbt}]
"""

from typing import Any

from dbt.adapters.duckdb.plugins import BasePlugin  # type: ignore[import-not-found]

from .connection import UNSIGNED, load


class Plugin(BasePlugin):  # type: ignore[misc]
    """Loads redline into what dbt opens."""

    def initialize(self, plugin_config: dict[str, Any]) -> None:
        """Takes the extension to load from `config`, by default the package's own."""
        self.extension = plugin_config.get("extension")

    def update_connection_config(self, creds: Any, config: dict[str, Any]) -> None:
        """Allows the extension, which has no signature of DuckDB's."""
        config[UNSIGNED] = True

    def configure_cursor(self, cursor: Any) -> None:
        """Makes the macros, which are temporary where the database is on disk, and so a cursor's own."""
        load(cursor, extension=self.extension)
