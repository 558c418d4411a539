"""L1: reinforcement learning: objectives, C3PO++ scheduling, batches, loop, reward-model loss."""
