"""Charts and drawings as SVG or PNG."""
