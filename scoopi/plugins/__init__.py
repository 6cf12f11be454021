"""What plugins promise, how one is found, and the built-in ones."""
