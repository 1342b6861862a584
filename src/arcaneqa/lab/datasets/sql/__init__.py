"""From SQL over mapped tables to programs: tables as a graph, queries as variables, variables as programs."""
