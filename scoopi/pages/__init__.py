"""One page or host at a time, without a run: loaded as a run loads it, read, extracted."""
