"""The studio for programs that speak the Model Context Protocol: tools to play, talk, consult and read."""
