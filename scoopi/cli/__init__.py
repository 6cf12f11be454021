"""The command line: arguments, signals, exit codes, and all output to the terminal."""
