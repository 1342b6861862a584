"""One file a group of routes; each makes its router over what is served at the moment."""
