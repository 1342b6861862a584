"""An answer as people see it or take it away: in a terminal, a notebook, a heat map, a file, a data frame."""
