"""The report: a tournament as a static site, made of contexts, small SVG charts and templates."""
