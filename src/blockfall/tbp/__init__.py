"""The Tetris Bot Protocol (TBP): its moves, its positions, its messages, and a talk with a bot in another program.

The protocol is the community's (tetris-bot-protocol/tbp-spec): JSON objects, one per row of text, on a bot's standard
input and output. These modules know pieces and cells only, no rules and no agents.
"""
