"""Commands of the add-on of courses."""
