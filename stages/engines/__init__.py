"""L2: the real engines behind the seams: vLLM, DeepSpeed, the weight channel, and the models they run."""
