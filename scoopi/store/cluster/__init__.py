"""The store of a cluster: maps of a Hazelcast grid, and the starting of a member for development."""
