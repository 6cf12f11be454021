"""What the steps of a task read pages with, compiled from its definitions once per worker."""
