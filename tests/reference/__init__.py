"""The oracle: Tetris written slowly and plainly, straight from the definitions, cell by cell.

It shares nothing with the core but the rule sets' files. A board is a set of filled (column, row) cells; row 0 is the
floor.
"""
