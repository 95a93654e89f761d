"""From results to facts.json: claims by subject, and the document that holds them."""
