"""The work of attempts: each runs in a process of its own, below a keeper that leaves nothing behind."""
