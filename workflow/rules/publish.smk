"""Everything that is published: gathered with its hashes, and replaced last, as a whole."""

FILM = ["film.json", "drawn.json", "captions.vtt", "transcript.md"]
# By name in the published folder; each is built under results/ first.
LESSON = ["facts.json", *(f"pictures/{name}.svg" for name in gallery.GALLERY)]
if CONFIG["film"]:
    LESSON += [*FILM, "index.html", *PAGE_FILES]


# What the manifest says of where all this came from: an edit of any of them makes it anew.
try:
    manifests.require_names(LESSON)
    INPUTS = manifests.inputs(
        ROOT,
        {CONFIG[part]: path for part, path in {**MODEL_FILES, **HEADS_FILE}.items()},
    )
except FactsError as error:
    print(f"error: {error}", file=sys.stderr, flush=True)
    sys.exit(error.exit_code)

# Runs with another folder or other weights are not the repository's: no crate tells of them.
DESCRIBED = crates.describes(ROOT, Path(CONFIG["publish_to"]), INPUTS)


rule manifest:
    input:
        crate=rules.crate.output if DESCRIBED else [],
        files=[f"results/{name}" for name in LESSON],
        sources=list(map(str, INPUTS.values())),
    output:
        "results/manifest.json",
    log:
        "results/logs/manifest.log",
    localrule: True
    resources:
        **SMALL_JOB,
    params:
        names=LESSON,
        sources=list(INPUTS),
        config=manifests.effective(CONFIG),
    script:
        "../scripts/manifest.py"


# Snakemake deletes a rule's outputs before its job runs, so nothing published is one: the stamp
# is.
rule publish:
    input:
        files=rules.manifest.input.files,
        manifest=rules.manifest.output[0],
        lib=library("publishing.folder"),
    output:
        STAMP,
    log:
        "results/logs/publish.log",
    localrule: True
    resources:
        **SMALL_JOB,
    params:
        folder=CONFIG["publish_to"],
        described=DESCRIBED,
    script:
        "../scripts/publish.py"


# The stamp goes when somebody edited a published file, so that its rule runs and replaces it. What
# is published lies beside results/, which may stand below a prefix.
last_stamp = Path(rules.publish.output[0])
published.drop_stale_stamp(
    last_stamp.parents[1] / CONFIG["publish_to"],
    last_stamp,
    crate_of=ROOT if DESCRIBED else None,
)
