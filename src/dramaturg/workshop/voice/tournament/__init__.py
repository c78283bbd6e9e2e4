"""The tournament of voices: models and strategies write one passage, a judge scores them with quotes."""
