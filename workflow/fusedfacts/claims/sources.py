"""Where things come from, and what the lesson leaves out: words that travel with the numbers."""

from __future__ import annotations

from fusedfacts.claims.claim import DAO, MILAKOV, PROJECT

# Each with what it is used for and what it does not prove.
SOURCES = [
    {
        "id": PROJECT,
        "title": "This project: its emulator, kernels, bound and controls",
        "used_for": "the counts, the checks against float64, the control and the overflow"
        " arithmetic",
        "does_not_prove": "any time, any cache's behaviour, or what arithmetic costs",
    },
    {
        "id": DAO,
        "title": "Dao, Fu, Ermon, Rudra, Ré: FlashAttention: Fast and Memory-Efficient Exact"
        " Attention with IO-Awareness (2022), Theorem 2",
        "used_for": "the idea that tiles with online softmax avoid writing the table, and the"
        " figure that is held to counting",
        "does_not_prove": "anything about this emulator or these kernels",
    },
    {
        "id": MILAKOV,
        "title": "Milakov, Gimelshein: Online normalizer calculation for softmax (2018)",
        "used_for": "the largest and the total of a row in a single pass",
        "does_not_prove": "anything about this model",
    },
]

# What is true and not counted, in plain sentences.
LEFT_OUT = [
    "Bytes asked for are not times: caches can serve repeated reads, and no speed follows from a"
    " count.",
    "The counts are of the kernels' own load and store statements; a compiler may merge loads, and"
    " hardware moves whole lines.",
    "The counts of the sweep are of the full table, although the film's words look only backwards;"
    " a causal kernel moves less in both ways, but for fused where all queries fit a single tile.",
    "Beside every count stand the compulsory bytes: each of Q, K, V and O moved a single time.",
    "The tolerance of every check is a float32 bound derived in this project, a worst case and"
    " taken from no publication; it is wide at large sizes, and the smallest planted fault that it"
    " still sees is published with it.",
    "The model computes in float32 and subtracts the maximum, so it never overflows; the fp16"
    " counts are of what would happen without the subtraction.",
    "A single head is counted, forward only; training would also store each row's maximum and"
    " total.",
    "Errors on random inputs are those of a single seed; the bound holds for any input that it"
    " certifies.",
    "Fused attention does more multiplications, additions and exps than unfused to save the trips"
    " and, where n exceeds d, fewer divisions; operations are counted, but what they cost is not.",
]
