"""The command redline: for people at a terminal. Each sub-command is SQL over the extension."""
