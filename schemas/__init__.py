"""The contract of every file: the room that all others stand on and that imports none of them."""
