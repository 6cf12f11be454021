"""The command line: arguments, signals, exit codes, and everything that is printed."""
