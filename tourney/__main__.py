"""``python -m tourney``: the command line, where the console script is not at hand."""

from tourney.cli.main import main

main()
