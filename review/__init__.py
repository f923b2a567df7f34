"""People judge records: the queue, the structured form and the append-only event history."""
