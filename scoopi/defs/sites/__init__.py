"""The `sites` of definitions and conf files: declared, checked and built."""
