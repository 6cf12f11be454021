"""What the robots.txt of a host allows, and which node reads it."""
