"""notices: sends what is to be reported, each in a process of its own."""
