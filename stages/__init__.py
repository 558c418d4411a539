"""The road from a base checkpoint to a thinking model: stage scripts and the rooms they use.

Some libraries read their settings from the environment once, when they are first imported, so the
defaults are set here, before any of them can be. What the user has set wins.
"""

from __future__ import annotations

import os

_DEFAULTS = {
    # One thread for sampling: bit-exact reruns. Trainers raise it for themselves (engines/threads).
    "OMP_NUM_THREADS": "1",
    "GOMP_SPINCOUNT": "100000",  # waiting threads soon give their core to whoever else needs it
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",  # the engine steps in this process, when told to
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_LOGGING_LEVEL": "ERROR",
    "TORCHDYNAMO_DISABLE": "1",  # compiling costs more than it gains in minutes
    "DS_ACCELERATOR": "cpu",
    "TOKENIZERS_PARALLELISM": "false",
    "DO_NOT_TRACK": "1",
    # No network unless asked for: HF_HUB_OFFLINE=0 lets hub sources download.
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
}

for _name, _value in _DEFAULTS.items():
    os.environ.setdefault(_name, _value)
