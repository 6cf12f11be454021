"""sources: asks the classes of projects which iteration is current, in processes of their own."""
