"""The colours of the pieces, after the Tetris Guideline."""

COLOURS = {
    "I": "#35b8d6",
    "O": "#e3b62b",
    "T": "#a25cc5",
    "S": "#5aa846",
    "Z": "#d5504b",
    "J": "#4a6fd0",
    "L": "#e08a33",
}
