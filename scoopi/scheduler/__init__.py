"""Decides what runs when: from a snapshot of the records and the time to decisions; pure."""
