"""The old name of the build of bots in Python that are modules; the manifests of stored bots have it."""

import runpy
import sys

if __name__ == "__main__":
    # By name, because nothing outside the add-ons imports one.
    runpy.run_module("tourney.addons.fuel.python_module", run_name="__main__")
    sys.exit(0)
