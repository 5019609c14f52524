"""Tests of the lab's commands of ``tourney bots`` run in a folder of their own, as those of the core do."""

from tests.cli.bots.conftest import isolated_folder

__all__ = ["isolated_folder"]
