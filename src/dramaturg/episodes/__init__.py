"""Episodes: a person talks with a character, while a hidden director paces, ends, evaluates and suggests."""
