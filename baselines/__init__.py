"""The methods that the paper compares with, and what it does that measurements here did not confirm; not part
of the product."""
