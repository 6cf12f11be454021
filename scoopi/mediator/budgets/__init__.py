"""How much a run, its groups and its hosts may take: pages, time, bytes."""
