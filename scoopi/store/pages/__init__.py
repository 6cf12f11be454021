"""Page jobs: put, taken, finished exactly once."""
