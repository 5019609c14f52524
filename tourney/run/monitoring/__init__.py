"""Progress, log, status, reports and summary of a run."""
