"""Records about runs: their phase and end, which runs a cluster knows, and how long it keeps them."""
