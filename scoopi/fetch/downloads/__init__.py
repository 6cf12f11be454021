"""Downloads files to durable copies in the node's folder."""
