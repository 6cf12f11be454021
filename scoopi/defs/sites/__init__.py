"""The section `sites` of definitions and conf files: its keys, its checks, and the values that it gives."""
