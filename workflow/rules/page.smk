"""The lesson's page: index.html from its template, and beside it all that it loads."""

# Published name of each file that the page needs as it stands, and where it lies.
PAGE_FILES = {
    name: str(path) for name, path in copies(ROOT, MODEL_FILES.values()).items()
}


rule page:
    input:
        facts=rules.facts.output[0],
        film=rules.film.output.film,
        files=list(PAGE_FILES.values()),
        templates=templates("page.html.j2", "pictures.txt.j2"),
        lib=library("lesson.page"),
    output:
        index="results/index.html",
        files=[f"results/{name}" for name in PAGE_FILES],
    log:
        "results/logs/page.log",
    localrule: True
    resources:
        **SMALL_JOB,
    script:
        "../scripts/page.py"
