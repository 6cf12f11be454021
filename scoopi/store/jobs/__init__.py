"""The jobs of pages: put, taken, and finished exactly once."""
