"""Objects: files of this machine that become objects of a store which fsspec knows."""
