"""Channel ."""
