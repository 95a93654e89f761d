"""Pages and captions for `snakemake --report`, which gathers them with the pictures in one file."""


rule report_pages:
    input:
        facts=rules.facts.output[0],
        templates=templates(
            "pictures.txt.j2",
            "report.rst.j2",
            "claims.html.j2",
            "worked.html.j2",
            "report.css",
        ),
        lib=library("lesson.report"),
    output:
        claims=report(
            REPORT_PAGES[0],
            category="Facts",
            labels={"page": "Every fact, with its check"},
        ),
        worked=report(
            REPORT_PAGES[1], category="Facts", labels={"page": "A case worked by hand"}
        ),
        index=REPORT_PAGES[2],
        captions=[f"{REPORT}/{name}.rst" for name in gallery.GALLERY],
    log:
        "results/logs/report.log",
    localrule: True
    resources:
        **SMALL_JOB,
    script:
        "../scripts/report.py"


# Snakemake looks for a report's words beside the Snakefile; these are written by the run.
CAPTIONS = {
    Path(path).stem: os.path.abspath(path)
    for path in rules.report_pages.output.captions
}


# A workflow that imports this one has a first page of its own.
if Path(workflow.main_snakefile).parent == ROOT:

    report: os.path.abspath(rules.report_pages.output.index)
