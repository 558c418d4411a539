"""The Ray runtime: trainer ranks and engines as actors on any number of nodes."""
