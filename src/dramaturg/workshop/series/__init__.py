"""A series: several books that share characters, places, rules and a timeline, each in its own folder."""
