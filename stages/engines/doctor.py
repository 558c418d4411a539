"""``python -m stages.engines.doctor``: whether a cluster is fit for a run, in plain words.

The work is done in `cluster/`, which alone may import Ray.
"""

from __future__ import annotations

import sys

from stages.engines.cluster.doctor import main

if __name__ == "__main__":
    sys.exit(main())
