"""How the tasks of definitions become steps, compiled once a worker."""
