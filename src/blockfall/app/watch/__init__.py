"""The page Watch: agents that play."""
