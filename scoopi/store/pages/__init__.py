"""Page jobs: put, taken, and finished exactly once."""
