"""Charts as SVG, and the picture of a tournament as PNG."""
