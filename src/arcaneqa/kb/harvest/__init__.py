"""The names of a SPARQL endpoint, fetched once and kept here, so that linking is as good as with an index.

Facts stay on the server. What is fetched is what things are called: labels and aliases, short texts, and
the classes that tell which texts are names. It becomes a small index of its own in the user's cache.
"""

from arcaneqa.kb.harvest.names import HarvestedNames, harvest, harvest_file, names_are, with_names

__all__ = ["HarvestedNames", "harvest", "harvest_file", "names_are", "with_names"]
