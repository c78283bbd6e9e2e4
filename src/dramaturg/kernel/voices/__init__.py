"""Speech: profiles by name, engines behind one seam, and the booth that records lines as WAV files."""
