"""The add-on of clusters: matches on several hosts, by Dask."""

from tourney.plugins import Addon

ADDON = Addon(executors={"dask": "tourney.addons.cluster.dask:DaskExecutor"})
