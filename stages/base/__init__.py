"""L0: what every room shares: records, protocols, parameters, outputs, errors. No engine."""
