"""The page Train: forms, budgets, live curves."""
