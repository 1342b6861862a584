"""Whether an answer is one to the question: what words ask for, what a program leaves out, what to say."""
