"""Subcommands of the command line, one file a topic."""
