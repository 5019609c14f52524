"""The report: a tournament as a static site, made of contexts (pandas), small SVG charts and templates."""
