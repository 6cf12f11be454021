"""The steps that have the files of rows downloaded, and write their paths into the rows."""
