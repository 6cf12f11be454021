"""The worker processes of this node and the pipes to them."""
