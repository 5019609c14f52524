"""A match as pictures: the data of its board, and what draws it."""
