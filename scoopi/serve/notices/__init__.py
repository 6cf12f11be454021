"""notices: sends notifications, each in a process of its own."""
