"""The runtime over many machines, on Ray: the only place that imports it."""
