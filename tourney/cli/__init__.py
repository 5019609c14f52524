"""The command line: click commands, one module each, thin; errors become one sentence here alone."""
