"""All results become facts.json."""

SECTIONS = {
    "model": "results/model.json",
    "online_softmax": "results/online_softmax.json",
    "attention": "results/attention.json",
    "control": "results/control.json",
    "mutants": "results/mutants.json",
    "overflow": "results/overflow.json",
    "kernels": "results/kernels.json",
    "contract": "results/contract.json",
    "worked": "results/worked.json",
}


rule facts:
    input:
        **SECTIONS,
        sweep=[f"results/sweep/{part}.json" for part in PARTS],
        timings=wanted_report if CONFIG["time_kernels"] else [],
        schema=source("workflow/schemas/facts.schema.json"),
        lib=library("experiments.facts"),
    output:
        "results/facts.json",
    log:
        "results/logs/facts.log",
    threads: 1
    resources:
        mem_mb=jobs.BASE_MB,
        runtime=5,
    params:
        sections=list(SECTIONS),
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
