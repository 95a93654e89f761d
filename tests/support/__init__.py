"""Helpers of the tests, and scripts that look further than a test has time to."""
