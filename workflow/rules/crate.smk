"""The RO-Crate of the repository: what registries of workflows read, with every file's hash."""


rule crate:
    input:
        # Functions, because publish.smk, which comes after, knows what is published and from what.
        files=lambda wildcards: [f"results/{name}" for name in LESSON],
        sources=lambda wildcards: list(map(str, INPUTS.values())),
        citation=source("CITATION.cff"),
    output:
        "results/ro-crate-metadata.json",
    log:
        "results/logs/crate.log",
    localrule: True
    resources:
        **SMALL_JOB,
    params:
        names=lambda wildcards: LESSON,
        sources=lambda wildcards: list(INPUTS),
    script:
        "../scripts/crate.py"
