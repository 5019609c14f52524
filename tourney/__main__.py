"""``python -m tourney``: the command line without the console script."""

from tourney.cli.start import main

main()
