"""The traffic sweep, cut into jobs whose memory and time follow from n and d."""

PARTS = workload.sweep_parts(CONFIG["n_values"], CONFIG["head_dims"])


def sizes(wildcards):
    return PARTS[f"d{wildcards.d}-n{wildcards.n}"]


rule sweep:
    input:
        lib=library("sweep"),
    output:
        "results/sweep/d{d}-n{n}.json",
    wildcard_constraints:
        d=r"\d+",
        n=r"\d+",
    params:
        d=lambda wildcards: int(wildcards.d),
        sizes=lambda wildcards: list(sizes(wildcards)),
        seed=CONFIG["seed"],
    threads: 1
    resources:
        mem_mb=lambda wildcards: workload.memory_mb(int(wildcards.n), int(wildcards.d)),
        runtime=lambda wildcards: workload.minutes(sizes(wildcards), int(wildcards.d)),
    script:
        "../scripts/sweep.py"
