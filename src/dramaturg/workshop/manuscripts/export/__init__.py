"""A book in the formats that readers, agents and editors want."""
