"""From committed frames to finished files."""
