"""The colours of series, in pictures, workbooks and the app's charts."""

COLOURS = ("#2a6fb0", "#d1603d", "#3f8f5f", "#8a5aa8", "#b8902c", "#4b5563", "#c2447a", "#2f9aa0")  # distinct in grey
