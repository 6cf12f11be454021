"""Moves work: from the store to this node, from the node to its workers, and back."""
