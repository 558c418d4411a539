"""L0: what every room shares. Records, protocols, parameters, outputs, errors. No engine, no tensor library."""
