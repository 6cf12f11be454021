"""The commands of `scoopi`, one module each."""
