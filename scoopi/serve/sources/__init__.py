"""sources: asks classes of a project which iteration is current, in processes of their own."""
