"""Wires a run: the modules of its injector."""
