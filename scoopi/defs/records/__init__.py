"""The language of records: its keys, its short forms, and what can be wrong with them."""
