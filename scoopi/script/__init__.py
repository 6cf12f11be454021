"""The JavaScript sandbox and the objects that a script may see."""
