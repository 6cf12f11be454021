"""Which worker runs what a pass has decided."""
