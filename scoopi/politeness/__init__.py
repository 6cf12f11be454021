"""The rate of requests to each host, by this node and by all nodes together."""
