"""Channels to bots: processes, scripts, and what both share."""
