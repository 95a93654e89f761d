"""What facts.json is told in: film, captions, transcript and pictures."""

FILM_SIZES = {key: CONFIG[f"film_{key}"] for key in ("words", "wide", "narrow")}


rule film:
    input:
        facts=rules.facts.output[0],
        templates=templates("film.txt.j2", "transcript.md.j2"),
        schemas=[
            source(f"workflow/schemas/{name}.schema.json")
            for name in ("drawn", "film")
        ],
        lib=library(
            "lesson.drawn", "lesson.film", "lesson.captions", "lesson.transcript"
        ),
    output:
        film="results/film.json",
        drawn="results/drawn.json",
        captions="results/captions.vtt",
        transcript="results/transcript.md",
    log:
        "results/logs/film.log",
    localrule: True
    resources:
        **SMALL_JOB,
    params:
        sizes=FILM_SIZES,
    script:
        "../scripts/film.py"


rule pictures:
    input:
        facts=rules.facts.output[0],
        lib=library("figures.gallery"),
    output:
        [
            report(
                path,
                caption=CAPTIONS[Path(path).stem],
                category="Pictures",
                labels={"picture": gallery.GALLERY[Path(path).stem].TITLE},
            )
            for path in PICTURES
        ],
    log:
        "results/logs/pictures.log",
    localrule: True
    resources:
        **SMALL_JOB,
    script:
        "../scripts/pictures.py"
