"""Published results: what one taker earned on many papers, with the sheets and the verdicts to check it.

A results folder holds one folder per entry and an index that can be made anew from them at any time; merging two
results folders is copying the entries of one into the other.
"""
