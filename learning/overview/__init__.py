"""What the first page tells: figures, news, triggers that are on, the queue's age. Every read is bounded."""
