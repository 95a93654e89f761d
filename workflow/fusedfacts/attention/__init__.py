"""The subject: exact answer, online softmax, tiles, closed forms and bound; no input or output."""
