"""From templates and contexts to a folder: rendering, processes, the manifest, and writing."""
