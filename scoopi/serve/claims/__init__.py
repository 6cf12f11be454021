"""Claims of attempts and nodes by workers, and reports on them with the fence of their claim."""
