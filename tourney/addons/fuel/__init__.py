"""The add-on of WebAssembly modules as bots: compiled once, run by our host process, by clock or by fuel."""

from tourney.plugins import Addon

ADDON = Addon(
    module_runtimes={"wasm": "tourney.addons.fuel.runtime:WasmtimeRuntime"},
    launchers={"fuel": "tourney.addons.fuel.launcher:FuelLauncher"},
)
