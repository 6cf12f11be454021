"""What definitions expect of a run's records, and whether they are so."""
