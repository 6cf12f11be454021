"""The steps of a page's tasks, one file each."""
