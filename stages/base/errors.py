"""Every error Everystep raises on purpose.

EverystepError
├── ConfigError       a parameter is unknown, of the wrong type or out of range
├── DataError         an input file is missing, malformed or empty
├── CheckpointError   a checkpoint is missing, torn, or of another architecture
├── ResourceError     the machine lacks something: memory, disk, a GPU, a port
├── EngineError       a training or inference engine failed, or two engines disagree
│   ├── DivergenceError   a loss or gradient is not finite; the last checkpoint is as it was
│   └── ClusterError      a rank, an engine or a node was lost and could not be made up for
└── VerifierError     a checker could not do its work (never the same as a wrong answer)

A message says what is wrong, where (file, line or key), and what to do next. The command line
prints it without a traceback and exits with status 2.
"""

from __future__ import annotations


class EverystepError(Exception):
    """Base of all errors that are reported to the user as one plain message."""


class ConfigError(EverystepError):
    """A parameter is unknown, of the wrong type or out of range."""


class DataError(EverystepError):
    """An input file is missing, malformed or empty."""


class CheckpointError(EverystepError):
    """A checkpoint is missing, torn, or of another architecture."""


class ResourceError(EverystepError):
    """The machine lacks memory, disk, a GPU or a port."""


class EngineError(EverystepError):
    """A training or inference engine failed, or two engines disagree."""


class DivergenceError(EngineError):
    """A loss or gradient is not a finite number; the run stops, its last checkpoint is kept."""


class ClusterError(EngineError):
    """A rank, an engine or a node of a cluster was lost, and the run could not go on without it."""


class VerifierError(EverystepError):
    """A checker could not do its work; the sample is masked and counted, never scored 0."""
