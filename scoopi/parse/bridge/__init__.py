"""The compiled bridge from lexbor to lxml. Optional: the pure-Python copier gives the same tree."""
