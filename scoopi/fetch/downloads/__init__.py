"""Downloads: a file from its address to a durable copy in the node's folder."""
