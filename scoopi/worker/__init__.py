"""A worker process: its start, its chain of steps, its pipe."""
