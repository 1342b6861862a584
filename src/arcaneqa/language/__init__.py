"""The program language: text, meaning, SPARQL, English."""
