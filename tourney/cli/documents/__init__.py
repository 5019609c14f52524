"""The JSON documents of the commands, of which ``make reference`` writes the schemas."""
