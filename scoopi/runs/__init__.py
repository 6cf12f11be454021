"""What a run is on disk and in the cluster, its name, settings and nodes, and the rows it begins with."""
