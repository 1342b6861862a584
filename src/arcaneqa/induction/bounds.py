"""How large programs may grow while they are built."""

MOST_SUBPROGRAMS = 10
"""Eight were enough for chains and conjunctions; OR and NOT repeat a condition for each of their sets."""
MOST_BRANCH_JOINS = 2
"""JOINs of a branch while another waits; a comparative counts as one."""
MOST_INNER_JOINS = 3
"""JOINs of a set built inside a function: with tables of links between, "without a cat" takes three."""
