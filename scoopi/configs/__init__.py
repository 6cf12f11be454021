"""Every setting: its key, type, default, unit, scope and sentence, and where its value came from."""
