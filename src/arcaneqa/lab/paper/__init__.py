"""ArcaneQA as published (Gu and Su, COLING 2022), equation by equation, for comparison."""
