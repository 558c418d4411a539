"""The launch as a Prefect flow, for a work pool whose worker may start jobs: see prefect.yaml.

The flow run lasts as long as the job, and a flow run that is cancelled ends the job.
"""

from __future__ import annotations

from prefect import State, flow
from prefect.states import Completed, Failed

from flows.launch import launch, parse_arguments
from stages.base.errors import EverystepError


@flow(name="everystep-cluster")
def launched(
    where: str = "slurm", options: list[str] | None = None, targets: list[str] | None = None
) -> State[None]:
    """One run on a cluster: ``options`` and ``targets`` are those of ``python -m flows.launch``."""
    arguments = [where, *(options or ())]
    arguments += ["--follow"] if where != "ray" else []
    arguments += ["--targets", *targets] if targets else []
    try:
        code = launch(parse_arguments(arguments))
    except EverystepError as error:
        return Failed(message=str(error))
    except SystemExit:
        return Failed(message=f"no such command: python -m flows.launch {' '.join(arguments)}")
    if code:
        return Failed(message=f"the run ended with {code}. The same run goes on from there.")
    return Completed(message="The run has ended.")
