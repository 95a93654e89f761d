"""The command `fusedfacts`: one module for each subcommand, each thin over the library.

A subcommand's module has `arguments(parser)`, which says what it takes, and `run(options)`, which
gives an `Answer`.
"""
