"""Everything that is published: gathered with its hashes, and replaced last, as a whole."""

FILM = ["film.json", "captions.vtt", "transcript.md"]
# By name in the published folder; each is built under results/ first.
LESSON = ["facts.json", *(f"pictures/{name}.svg" for name in gallery.GALLERY)]
if CONFIG["film"]:
    LESSON += [*FILM, "index.html", *PAGE_FILES]


rule manifest:
    input:
        files=[f"results/{name}" for name in LESSON],
        lib=library("publish"),
    output:
        "results/manifest.json",
    log:
        "results/logs/manifest.log",
    threads: 1
    resources:
        mem_mb=workload.BASE_MB,
        runtime=5,
    params:
        names=LESSON,
    script:
        "../scripts/manifest.py"


# Snakemake deletes a rule's outputs before its job runs, so nothing published is one: the stamp
# is.
rule publish:
    input:
        files=rules.manifest.input.files,
        manifest=rules.manifest.output[0],
        lib=library("publish"),
    output:
        STAMP,
    log:
        "results/logs/publish.log",
    threads: 1
    resources:
        mem_mb=workload.BASE_MB,
        runtime=5,
    params:
        folder=CONFIG["publish_to"],
    script:
        "../scripts/publish.py"


# The stamp goes when somebody edited a published file, so that its rule runs and replaces it.
stamp = Path(rules.publish.output[0])
publish.drop_stale_stamp(publish.folder_beside(stamp, CONFIG["publish_to"]), stamp)
