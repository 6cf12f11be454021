"""Downloads: pages of a worker whose tasks wait for the files that their rows name."""
