"""The road as a scheduled pipeline (Prefect) and the comparison of two of its results.

Prefect reads its settings from the environment when it is first imported, so the project's own are
set here: everything on this machine, everything inside the project. What the user has set wins.
"""

from __future__ import annotations

import os
from pathlib import Path

HOME = Path.cwd() / ".prefect"

_DEFAULTS = {
    "PREFECT_HOME": str(HOME),
    # Prefect takes these three from the user's home whatever PREFECT_HOME says.
    "PREFECT_RESULTS_LOCAL_STORAGE_PATH": str(HOME / "storage"),
    "PREFECT_SERVER_MEMO_STORE_PATH": str(HOME / "memo_store.toml"),
    "PREFECT_LOGGING_CONFIG_PATH": str(HOME / "logging.yml"),
    # A new database takes longer to make than the 20 s Prefect waits.
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
    "PREFECT_CLI_PROMPT": "false",
    "DO_NOT_TRACK": "1",
    "DVC_NO_ANALYTICS": "1",
    "DVC_STUDIO_OFFLINE": "1",
}

for _name, _value in _DEFAULTS.items():
    os.environ.setdefault(_name, _value)
