"""Pages and captions for `snakemake --report`, which gathers them with the pictures in one file."""

REPORT = "results/report"
PAGES = {"claims": "Every fact", "worked": "A case worked by hand"}


# Snakemake reads captions from files, and these are written by the run: from where it is started.
report: os.path.abspath(f"{REPORT}/index.rst")


rule report_pages:
    input:
        facts=rules.facts.output[0],
        templates=TEMPLATES,
        lib=library("report"),
    output:
        [
            report(f"{REPORT}/{name}.html", category="Facts", labels={"page": title})
            for name, title in PAGES.items()
        ],
        index=f"{REPORT}/index.rst",
        captions=[f"{REPORT}/{name}.rst" for name in gallery.GALLERY],
    log:
        "results/logs/report.log",
    threads: 1
    resources:
        mem_mb=400,
        runtime=5,
    script:
        "../scripts/report.py"
