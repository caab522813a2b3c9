"""The page Analyse: positions ranked, searches node by node."""
