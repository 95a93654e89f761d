"""The sections of facts.json: each the one job of its module, but the sweep and the model."""


# Reads the model's files once: the tensors of other sections, and the section `model`.
rule extract:
    input:
        **MODEL_FILES,
        lib=library("model.qkv"),
    output:
        qkv=QKV,
        model="results/model.json",
    log:
        "results/logs/extract.log",
    localrule: True
    resources:
        **SMALL_JOB,
    params:
        sha256={part: CONFIG[f"{part}_sha256"] for part in settings.MODEL_PARTS},
        control_key_rows=CONFIG["control_key_rows"],
    script:
        "../scripts/extract.py"


rule section:
    input:
        unpack(section_tensors),
        files=section_files,
        lib=lambda wildcards: library("model.qkv", f"experiments.{wildcards.section}"),
    output:
        "results/{section}.json",
    log:
        "results/logs/{section}.log",
    wildcard_constraints:
        section="|".join(SECTIONS),
    resources:
        mem_mb=SMALL_JOB["mem_mb"],
        # The time of heads is their number's and their length's.
        runtime=lambda wildcards: (
            heads.minutes(HEADS_FILE["heads"], CONFIG)
            if wildcards.section == "heads"
            else SMALL_JOB["runtime"]
        ),
    params:
        section=lambda wildcards: wildcards.section,
        settings=section_settings,
    script:
        "../scripts/section.py"


# Cut into jobs whose memory and time follow from n and d.
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
    retries: TRIES_AGAIN
    resources:
        # More of both where a failed job is tried again.
        mem_mb=lambda wildcards, attempt: (
            attempt * jobs.memory_mb(int(wildcards.n), int(wildcards.d))
        ),
        runtime=lambda wildcards, attempt: (
            attempt * jobs.minutes(sizes(wildcards), int(wildcards.d))
        ),
    params:
        section="traffic",
        settings=lambda wildcards: {
            "d": int(wildcards.d),
            "n_values": list(sizes(wildcards)),
            "seed": CONFIG["seed"],
        },
    script:
        "../scripts/section.py"


rule facts:
    input:
        **{name: f"results/{name}.json" for name in ("model", *SECTIONS)},
        sweep=[f"results/sweep/{part}.json" for part in PARTS],
        timings=wanted_report if CONFIG["time_kernels"] else [],
        schema=source("workflow/schemas/facts.schema.json"),
        lib=library("experiments.facts"),
    output:
        "results/facts.json",
    log:
        "results/logs/facts.log",
    localrule: True
    resources:
        **SMALL_JOB,
    params:
        sections=["model", *SECTIONS],
        settings=settings.settings(CONFIG),
        inputs={
            part: {
                "path": settings.shown_path(CONFIG[part]),
                "sha256": CONFIG[f"{part}_sha256"],
            }
            for part in settings.MODEL_PARTS
        },
    script:
        "../scripts/facts.py"
