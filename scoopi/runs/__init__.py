"""What a run is on disk and in the cluster: its name, folder and settings, and which nodes take part."""
