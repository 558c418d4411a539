"""The default process group of a trainer: alone in its process, or one rank of several."""

from __future__ import annotations

import os
import tempfile
from datetime import timedelta
from pathlib import Path

import deepspeed
import torch
from torch.distributed import distributed_c10d


def start_process_group() -> None:
    """Join the default process group: the launcher's, or one of our own that opens no port."""
    # An inference engine may have started the group; DeepSpeed asks for these all the same.
    for name, alone in {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1"}.items():
        os.environ.setdefault(name, alone)
    if torch.distributed.is_initialized():
        return
    _leave_out_shared_memory()
    rendezvous = Path(tempfile.mkdtemp(prefix="everystep-")) / "group"
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{rendezvous}", rank=0, world_size=1
    )


def join_ranks(rank: int, ranks: int, address: str, port: int, seconds: float) -> None:
    """Become one of several ranks that meet at rank 0's address; a collective waits ``seconds``.

    Each rank is alone on its devices, so its local rank is 0.
    """
    os.environ |= {
        "RANK": str(rank),
        "WORLD_SIZE": str(ranks),
        "LOCAL_RANK": "0",
        "LOCAL_SIZE": "1",
        "MASTER_ADDR": address,
        "MASTER_PORT": str(port),
    }
    _leave_out_shared_memory()
    patience = timedelta(seconds=seconds)
    # DeepSpeed's reductions run on a group of their own, which takes these defaults: half an hour.
    distributed_c10d.default_pg_timeout = patience
    distributed_c10d.default_pg_nccl_timeout = patience  # type: ignore[attr-defined]
    torch.distributed.init_process_group(
        "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo",
        init_method=f"tcp://{address}:{port}",
        rank=rank,
        world_size=ranks,
        timeout=patience,
    )


def _leave_out_shared_memory() -> None:
    """Keep DeepSpeed from compiling a shared-memory op that training never calls.

    A killed process leaves its lock file behind for ever, and ranks on different hosts that believe
    to share memory wait for each other for ever.
    """
    deepspeed.ops.__compatible_ops__["deepspeed_shm_comm"] = False
