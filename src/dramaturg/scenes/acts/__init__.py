"""Acts: several scenes in order, the next one chosen by how the last one ended."""
