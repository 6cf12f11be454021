"""Loading the page of a locator: from the archive, a file, or the network with a session of its site."""
