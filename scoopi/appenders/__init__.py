"""Bounded queue of encoded rows -> durable segments."""
