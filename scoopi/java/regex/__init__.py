"""Compiles and runs regular expressions with the syntax and meaning of java.util.regex."""
