"""Attention on tensors from anybody's file, held to the exact answer: `fusedfacts check`."""
