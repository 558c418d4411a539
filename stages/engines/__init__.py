"""L2: the real engines behind the seams: vLLM, DeepSpeed, the weight channel, their models."""
