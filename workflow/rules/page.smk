"""The lesson's page: index.html from its template, and beside it all that it loads."""

PAGE = ROOT / "workflow" / "page"
# Published name of each file that the page needs as it stands, and where it lies.
PAGE_FILES = {
    **{
        path.relative_to(PAGE).as_posix(): str(path)
        for path in sorted(PAGE.rglob("*.*"))
        if path.is_file()
    },
    **{f"kernels/{Path(path).name}": path for path in KERNEL_FILES},
    **{f"model/{Path(path).name}": path for path in MODEL_FILES.values()},
}


rule page:
    input:
        facts=rules.facts.output[0],
        film=rules.film.output.film,
        files=list(PAGE_FILES.values()),
        templates=templates("page.html.j2", "pictures.txt.j2"),
        lib=library("page"),
    output:
        index="results/index.html",
        files=[f"results/{name}" for name in PAGE_FILES],
    log:
        "results/logs/page.log",
    threads: 1
    resources:
        mem_mb=workload.BASE_MB,
        runtime=5,
    script:
        "../scripts/page.py"
