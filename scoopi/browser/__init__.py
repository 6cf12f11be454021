"""Pages as a browser shows them: a pool of browsers in processes of their own."""
