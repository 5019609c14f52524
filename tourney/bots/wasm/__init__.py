"""WebAssembly modules as bots: compiled once, run by a host process of ours, by the clock or by fuel."""
