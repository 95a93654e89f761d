"""What is published against a build from nothing: `snakemake audit`."""


# Without an output, so that it runs whenever it is asked for: what was found once says nothing of
# what is published now. It writes results/audit.json and results/audit.txt.
rule audit:
    log:
        "results/logs/audit.log",
    # All cores: the build inside is the only job.
    threads: 1024
    resources:
        mem_mb=4 * jobs.BASE_MB,
        runtime=60,
    params:
        root=str(ROOT),
        folder=CONFIG["publish_to"],
        config=CONFIG,
    script:
        "../scripts/audit.py"
