"""The steps that request the files that rows name, and write their paths into the rows."""
