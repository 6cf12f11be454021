"""Who gets what in a run: the modules of its injector."""
