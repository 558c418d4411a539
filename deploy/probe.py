"""Asks the service beside it whether it is ready, with its token: a probe over HTTP has none.

Usage: ``python -I probe.py [port]``. Ends with 0 if it is; else with 1 and the reason.
"""

from __future__ import annotations

import http.client
import os
import sys

KEY = "EVERYSTEP_SANDBOX_KEY"
PATIENCE = 10.0  # seconds


def main() -> int:
    """Ask, say, end."""
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8080
    token = (os.environ.get(KEY, "").split() or [""])[0]
    asking = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        asking.request("GET", "/ready", headers={"Authorization": f"Bearer {token}"})
        reply = asking.getresponse()
        said = reply.read().decode("utf-8", "replace")
    except (OSError, http.client.HTTPException) as error:
        sys.stdout.write(f"no answer: {error}\n")
        return 1
    sys.stdout.write(f"{said}\n")
    return int(reply.status != http.client.OK)


if __name__ == "__main__":
    sys.exit(main())
