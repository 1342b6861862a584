"""Dynamic program induction: which tokens may follow, and the search among them."""
