"""Questions in, answers out: `ArcaneQA`, what it answers, conversations, and what is shown or taken away."""
