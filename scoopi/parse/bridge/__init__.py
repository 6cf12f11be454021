"""The compiled way from lexbor's tree into lxml's; optional, the walk in Python gives the same."""
