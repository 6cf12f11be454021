"""From all records of a run to those that differ from the last finished run."""
