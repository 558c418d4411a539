"""L1: supervised fine-tuning on long chains of thought: chat format, packing, loss, schedule."""
