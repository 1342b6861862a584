"""How terms and conditions on values are written in SPARQL, for endpoints and for programs."""
