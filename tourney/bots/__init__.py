"""Bots: manifest, content-addressed store, build, containment, and the channel that talks to a process."""
