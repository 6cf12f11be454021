"""The JavaScript sandbox, and the objects that scripts can use in it."""
