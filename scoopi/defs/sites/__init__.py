"""The section `sites` of definitions and conf files: its keys, its checks, and the values built from it."""
