"""The language of records: its keys, its short forms and its checks."""
