"""Speech: voice profiles, engines behind one seam, the booth that records lines as WAV files, and the mix."""
