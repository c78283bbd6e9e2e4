"""What several machines need: a queue and its workers, files in a bucket, limits over all processes."""
