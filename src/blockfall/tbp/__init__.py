"""The Tetris Bot Protocol (TBP): moves, positions, messages, and conversations with bots in other programs.

The community's specification is tetris-bot-protocol/tbp-spec: JSON objects, one per line, on a bot's standard input
and output. These modules know pieces and cells only, no rules and no agents.
"""
