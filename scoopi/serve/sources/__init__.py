"""sources: calls the classes of a project that name its current iterations, in processes of their own."""
