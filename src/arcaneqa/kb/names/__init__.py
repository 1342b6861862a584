"""What things are called: words of names, the keys they are found under, and the names of a whole index."""
