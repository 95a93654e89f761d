"""The float32 contract: exponential, seeded inputs, rounding, float16 and compiled loops."""
