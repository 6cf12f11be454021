"""The interfaces of plugins, how a plugin is found, and the built-in ones."""
