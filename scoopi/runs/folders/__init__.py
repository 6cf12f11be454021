"""The folders of a run and of its nodes: made, locked, found and described."""
