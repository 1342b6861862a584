"""One file a group of routes; each makes its router over the house it serves."""
