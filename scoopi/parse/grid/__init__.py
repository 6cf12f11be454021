"""From a tree and a data definition to rows."""
