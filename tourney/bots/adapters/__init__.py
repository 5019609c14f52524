"""Adapters: bot protocols other than Tourney's own, a module each, found by ``tourney.bots.protocols``."""
