"""The checked config, and the helpers that rules share."""

from fusedfacts.doctor import packages
from fusedfacts.errors import FactsError
from fusedfacts.terminal import reporting

with reporting(), packages.missing_named():
    packages.require()
    import yaml

    from fusedfacts.documents import files
    from fusedfacts.experiments import facts, heads
    from fusedfacts.figures import gallery
    from fusedfacts.lesson.assets import copies
    from fusedfacts.model import qkv
    from fusedfacts.pipeline import closure, jobs
    from fusedfacts.pipeline import config as settings
    from fusedfacts.publishing import crate as crates
    from fusedfacts.publishing import folder as published
    from fusedfacts.publishing import manifest as manifests

PICTURES = [f"results/pictures/{name}.svg" for name in gallery.GALLERY]
REPORT = "results/report"
REPORT_PAGES = [
    f"{REPORT}/{name}" for name in ("claims.html", "worked.html", "index.rst")
]
STAMP = "results/published.ok"
QKV = "results/qkv.safetensors"
SMALL_JOB = {"mem_mb": jobs.BASE_MB, "runtime": 5}
# `--jobs` is left to executors that hand jobs to others: there a second try may find more memory,
# time or a better node. On this machine, and within a job, it would say the same sentence again.
HANDS_OUT = workflow.is_main_process and workflow.resource_settings.nodes is not None
TRIES_AGAIN = 1 if HANDS_OUT else 0


def source(path):
    """A file of this repository, wherever Snakemake was started.

    Absolute, because a `prefix:` of a workflow that imports this one goes before relative paths.
    """
    return str(ROOT / path)


def templates(*names):
    """Templates, with the list of names that all of them may use."""
    return [source(f"workflow/templates/{name}") for name in (*names, "names.json")]


try:
    settings.require_library(Path(LIBRARY))
    # `configfile:` is passed over where a workflow imports this one with a config of its own.
    SHIPPED = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    CONFIG = settings.checked(settings.filled(config, SHIPPED))
    MODEL_FILES = {
        part: settings.model_file(CONFIG[part], ROOT) for part in settings.MODEL_PARTS
    }
    HEADS_FILE = {
        part: settings.model_file(CONFIG[part], ROOT)
        for part in settings.input_parts(CONFIG)[len(MODEL_FILES) :]
    }
    settings.require_files({**MODEL_FILES, **HEADS_FILE})
    # Jobs parse this file, too, and look at what they read themselves.
    if workflow.is_main_process:
        qkv.refuse(MODEL_FILES, CONFIG)
        for heads_file in HEADS_FILE.values():
            heads.minutes(heads_file, CONFIG)
except FactsError as error:
    print(f"error: {error}", file=sys.stderr, flush=True)
    sys.exit(error.exit_code)

# One job, one thread: a BLAS with more threads than free cores is many times slower.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"


def library(*modules):
    """The files that the modules need: Snakemake does not see imports."""
    return [
        source(path)
        for path in closure.closure(*(f"fusedfacts.{name}" for name in modules))
    ]


# Of facts.json, what the rule `section` makes.
SECTIONS = facts.with_a_job(CONFIG)
PARTS = jobs.sweep_parts(CONFIG["n_values"], CONFIG["head_dims"])


def sizes(wildcards):
    """The sizes of one job of the sweep."""
    return PARTS[f"d{wildcards.d}-n{wildcards.n}"]


KERNEL_FILES = [source(path) for path in sorted(ROOT.glob("kernels/*.[wj]*"))]


def section_tensors(wildcards):
    """The model's tensors, where the section needs some."""
    return {"qkv": QKV} if facts.SECTIONS[wildcards.section].tensors else {}


def section_files(wildcards):
    """The files of the repository that the section reads."""
    patterns = facts.SECTIONS[wildcards.section].files
    shipped = [
        source(path) for pattern in patterns for path in sorted(ROOT.glob(pattern))
    ]
    return (
        shipped + list(HEADS_FILE.values()) if wildcards.section == "heads" else shipped
    )


def section_settings(wildcards):
    """The part of the config that the section names."""
    return {key: CONFIG[key] for key in facts.SECTIONS[wildcards.section].settings}


def wanted_report(wildcards):
    """The report of the wanted device. Only asked for where a run needs one."""
    from fusedfacts.device import adapters

    try:
        name = adapters.choose(CONFIG["adapter"]).info["device"]
    except FactsError as error:
        print(f"error: {error}", file=sys.stderr, flush=True)
        sys.exit(error.exit_code)
    return f"results/devices/{adapters.slug(name)}.json"


def device_files(wildcards):
    """The report with its pictures."""
    measured = wanted_report(wildcards)
    stem = measured.removesuffix(".json")
    kinds = ["exp", "time"] if CONFIG["time_kernels"] else ["exp"]
    return [measured, *(f"{stem}-{kind}.svg" for kind in kinds)]
