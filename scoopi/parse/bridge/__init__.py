"""The compiled copier of lexbor's tree into lxml's; optional: the pure-Python copier gives the same tree."""
