"""The page Train: forms, budgets and live curves."""
