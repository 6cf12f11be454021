"""The store of a cluster: maps of a Hazelcast grid; also starts a member for development."""
