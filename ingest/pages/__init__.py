"""Sources opened, words read, trust judged, lines put in reading order."""
