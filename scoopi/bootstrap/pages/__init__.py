"""One page, loaded as a run loads it, without a run."""
