"""A match: spec in, record out. Seeds, clock, referee (pure), play over channels, verify."""
