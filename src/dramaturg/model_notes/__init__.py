"""What models write beside their answer without a tag around it: labelled notes, thoughts aloud, refusals to play."""
