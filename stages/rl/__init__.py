"""L1: reinforcement learning. Objectives, C3PO++ scheduling, batches, the loop, reward-model losses."""
