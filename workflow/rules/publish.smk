"""What facts.json is told in: film, captions, transcript, pictures; published last, as a whole."""

FILM_SIZES = {key: CONFIG[f"film_{key}"] for key in ("words", "wide", "narrow")}
FILM = ["film.json", "captions.vtt", "transcript.md"] if CONFIG["film"] else []
# Everything that is published, by its name in the folder; each is built under results/ first.
LESSON = ["facts.json", *(f"pictures/{name}.svg" for name in gallery.GALLERY), *FILM]


rule film:
    input:
        facts=rules.facts.output[0],
        templates=TEMPLATES,
        schema=source("workflow/schemas/film.schema.json"),
        lib=library("film.document", "film.webvtt", "film.transcript"),
    output:
        film="results/film.json",
        captions="results/captions.vtt",
        transcript="results/transcript.md",
    log:
        "results/logs/film.log",
    threads: 1
    resources:
        mem_mb=workload.BASE_MB,
        runtime=5,
    params:
        sizes=FILM_SIZES,
    script:
        "../scripts/film.py"


rule pictures:
    input:
        facts=rules.facts.output[0],
        lib=library("pictures.gallery"),
    output:
        [
            report(
                path,
                caption=CAPTIONS[Path(path).stem],
                category="Pictures",
                labels={"picture": gallery.GALLERY[Path(path).stem].title},
            )
            for path in PICTURES
        ],
    log:
        "results/logs/pictures.log",
    threads: 1
    resources:
        mem_mb=workload.BASE_MB,
        runtime=5,
    script:
        "../scripts/pictures.py"


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
