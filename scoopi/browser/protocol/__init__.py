"""The connection to a browser over its own protocol: DevTools or WebDriver BiDi."""
