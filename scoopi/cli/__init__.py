"""Arguments become calls, signals a cancel, errors exit codes; what a person reads is printed here."""
