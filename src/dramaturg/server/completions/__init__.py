"""The protocol of OpenAI's chat completions, in front of characters, episodes and the ensemble."""
