"""Decides which workers run attempts and their nodes."""
