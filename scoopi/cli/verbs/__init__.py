"""The commands of `scoopi`, a module each."""
