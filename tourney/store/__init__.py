"""To be described by whoever writes this package."""
