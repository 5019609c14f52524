"""The application that compares two bots."""
