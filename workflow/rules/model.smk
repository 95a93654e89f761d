"""Everything that is computed from the model's weights, or from small seeded inputs."""


rule extract:
    input:
        **MODEL_FILES,
        lib=library("model.qkv"),
    output:
        qkv="results/qkv.safetensors",
        model="results/model.json",
    log:
        "results/logs/extract.log",
    threads: 1
    resources:
        mem_mb=jobs.BASE_MB,
        runtime=5,
    params:
        sha256={part: CONFIG[f"{part}_sha256"] for part in settings.MODEL_PARTS},
        control_key_rows=CONFIG["control_key_rows"],
    script:
        "../scripts/extract.py"


rule online_softmax:
    input:
        qkv=rules.extract.output.qkv,
        lib=library("model.qkv", "experiments.attention", "experiments.online_softmax"),
    output:
        "results/online_softmax.json",
    log:
        "results/logs/online_softmax.log",
    threads: 1
    resources:
        mem_mb=jobs.BASE_MB,
        runtime=5,
    params:
        **{
            key: CONFIG[key]
            for key in (
                "seed",
                "online_rows",
                "online_length",
                "record_rows",
                "record_lengths",
            )
        },
    script:
        "../scripts/online.py"


rule attention:
    input:
        qkv=rules.extract.output.qkv,
        lib=library("model.qkv", "experiments.attention"),
    output:
        "results/attention.json",
    log:
        "results/logs/attention.log",
    threads: 1
    resources:
        mem_mb=jobs.BASE_MB,
        runtime=5,
    params:
        model_key_rows=CONFIG["model_key_rows"],
    script:
        "../scripts/attention.py"


rule control:
    input:
        qkv=rules.extract.output.qkv,
        lib=library("model.qkv", "experiments.control"),
    output:
        "results/control.json",
    log:
        "results/logs/control.log",
    threads: 1
    resources:
        mem_mb=jobs.BASE_MB,
        runtime=5,
    params:
        control_key_rows=CONFIG["control_key_rows"],
    script:
        "../scripts/control.py"


rule mutants:
    input:
        lib=library("experiments.mutants"),
    output:
        "results/mutants.json",
    log:
        "results/logs/mutants.log",
    threads: 1
    resources:
        mem_mb=jobs.BASE_MB,
        runtime=5,
    params:
        seed=CONFIG["seed"],
    script:
        "../scripts/mutants.py"


rule overflow:
    input:
        qkv=rules.extract.output.qkv,
        lib=library("model.qkv", "experiments.overflow"),
    output:
        "results/overflow.json",
    log:
        "results/logs/overflow.log",
    threads: 1
    resources:
        mem_mb=jobs.BASE_MB,
        runtime=5,
    script:
        "../scripts/overflow.py"


rule worked:
    input:
        manifest=source("kernels/manifest.json"),
        lib=library("experiments.worked", "experiments.contract"),
    output:
        worked="results/worked.json",
        contract="results/contract.json",
    log:
        "results/logs/worked.log",
    threads: 1
    resources:
        mem_mb=jobs.BASE_MB,
        runtime=5,
    script:
        "../scripts/worked.py"
