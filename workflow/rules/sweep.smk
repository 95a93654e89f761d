"""The traffic sweep, cut into jobs whose memory and time follow from n and d."""


rule sweep:
    input:
        lib=library("experiments.sweep"),
    output:
        "results/sweep/d{d}-n{n}.json",
    log:
        "results/logs/sweep-d{d}-n{n}.log",
    # Not a result: what the job took, for `make bench`.
    benchmark:
        "results/benchmarks/sweep-d{d}-n{n}.tsv"
    wildcard_constraints:
        d=r"\d+",
        n=r"\d+",
    threads: 1
    resources:
        # More of both where a failed job is tried again.
        mem_mb=lambda wildcards, attempt: (
            attempt * jobs.memory_mb(int(wildcards.n), int(wildcards.d))
        ),
        runtime=lambda wildcards, attempt: (
            attempt * jobs.minutes(sizes(wildcards), int(wildcards.d))
        ),
    params:
        d=lambda wildcards: int(wildcards.d),
        sizes=lambda wildcards: list(sizes(wildcards)),
        seed=CONFIG["seed"],
    script:
        "../scripts/sweep.py"
