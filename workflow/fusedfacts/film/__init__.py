"""The film's words: scenes from the template, broken at phrases, timed, written as captions."""
