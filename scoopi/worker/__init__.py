"""The worker process: it loads pages, runs their steps, and talks to the parent over a pipe."""
