"""The lesson's film, captions, transcript and page, every number quoted from a claim."""
