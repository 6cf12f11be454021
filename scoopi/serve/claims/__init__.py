"""How workers claim attempts and nodes, and report what becomes of them, under fences."""
