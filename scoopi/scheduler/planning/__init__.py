"""planning: when processes are looked at, so that their slots get jobs."""
