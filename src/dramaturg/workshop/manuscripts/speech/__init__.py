"""Who says what: quoted lines, their speakers as far as the text tells, and the characters that speak."""
