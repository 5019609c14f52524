"""Channels to bots: processes, scripts, and their common interface."""
