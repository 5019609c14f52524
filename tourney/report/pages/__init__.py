"""The kinds of pages: a module each, with its context and its files."""
