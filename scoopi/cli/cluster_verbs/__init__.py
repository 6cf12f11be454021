"""The commands of `scoopi` for the runs and members of a cluster, one module each."""
