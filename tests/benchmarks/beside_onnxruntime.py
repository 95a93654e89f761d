"""The page's kernels beside onnxruntime-web's attention: one page, one adapter, one clock.

PYTHONPATH=workflow python tests/benchmarks/beside_onnxruntime.py

Both find their inputs on the device and are timed by the browser's clock until the answer is back
in an array, for onnxruntime's session tells no other time of an unprofiled run. The smallest size,
with hardly any work, shows what that costs by itself; beside our times stands what the page's own
clock says of the kernels alone. onnxruntime-web is no dependency: npm brings it when this is run;
without npm nothing is measured.
"""

from __future__ import annotations

import base64
import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support import shots, site_server

ROOT = Path(__file__).parents[2]
PACKAGE, VERSION = "onnxruntime-web", "1.30.0"
SHA512 = "q0y+JrrtukXSzsBWEMccVfqX25LRmosXHF+CaRJmg8pZClzcV7svNc4rKY3jL02Vb7QmRMDs1SigqR4CXAfKYQ=="
FILES = ("ort.webgpu.bundle.min.mjs", "ort-wasm-simd-threaded.asyncify.wasm")
SIZES = [(16, 16), (256, 16), (256, 64), (512, 16), (512, 64)]
REPEATS = 7  # as on the page
APART_MOST = 1e-4  # hundreds of the errors that either answer has, and less than any real fault


class NotMeasuredError(Exception):
    """Something is missing; the message says what."""


# An ONNX model is a protobuf message: fields one after another, each a key (the field's number and
# how its value is written), then the value. The numbers below are those of onnx.proto.
FLOAT, INT = 1, 2  # TensorProto.DataType.FLOAT and AttributeProto.AttributeType.INT


def varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; the eighth says that more follow."""
    more = value >> 7
    return bytes([value & 0x7F | 0x80]) + varint(more) if more else bytes([value])


def field(number: int, value: int | str | bytes) -> bytes:
    """One field of a message: a whole number is a varint, all else its length and then itself."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    content = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(content)) + content


def tensor(name: str, shape: tuple[int, ...]) -> bytes:
    """A ValueInfoProto: the name and shape of a float32 tensor."""
    dims = b"".join(field(1, field(1, size)) for size in shape)  # dim: Dimension.dim_value
    kind = field(1, FLOAT) + field(2, dims)  # elem_type, shape
    return field(1, name) + field(2, field(1, kind))  # name, type: TypeProto.tensor_type


def model(n: int, d: int) -> bytes:
    """A model of one node, attention of one head over n rows of d numbers, scaled by 1/sqrt(d)."""
    heads = field(1, "num_heads") + field(3, 1) + field(20, INT)  # name, i, type
    node = b"".join(field(1, name) for name in ("q", "k", "v"))  # input
    node += field(2, "o") + field(4, "MultiHeadAttention")  # output, op_type
    node += field(5, heads) + field(7, "com.microsoft")  # attribute, domain
    graph = field(1, node) + field(2, "attention")  # node, name
    graph += b"".join(field(11, tensor(name, (1, n, d))) for name in ("q", "k", "v"))  # input
    graph += field(12, tensor("o", (1, n, d)))  # output
    sets = [field(1, "") + field(2, 17), field(1, "com.microsoft") + field(2, 1)]  # domain, version
    imported = b"".join(field(8, one) for one in sets)  # opset_import
    return field(1, 8) + field(7, graph) + imported  # ir_version, graph


def package(folder: Path = ROOT / "results" / "bench") -> Path:
    """The package's archive, brought by npm unless it is there, and held to its hash."""
    archive = folder / f"{PACKAGE}-{VERSION}.tgz"
    if not archive.exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = ["npm", "pack", "--silent", "--ignore-scripts", f"{PACKAGE}@{VERSION}"]
        if not shutil.which("npm"):
            raise NotMeasuredError(f"there is no npm to bring {PACKAGE} with")
        if subprocess.run(command, cwd=folder, capture_output=True).returncode:
            raise NotMeasuredError(f"npm could not bring {PACKAGE} {VERSION}")
    digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if digest != SHA512:
        raise NotMeasuredError(f"{archive.name} is not the file whose hash is known; delete it")
    return archive


def unpack(archive: Path, folder: Path) -> None:
    """The files that a page needs; their names are ours, so none can lead elsewhere."""
    with tarfile.open(archive) as opened:
        for name in FILES:
            source = opened.extractfile(f"package/dist/{name}")
            with (folder / name).open("wb") as target:
                shutil.copyfileobj(source, target)


PAGE = "<!doctype html><title>beside onnxruntime</title>"
SCRIPT = Path(__file__).with_suffix(".js")
MEASURE = f"""async (options) => {{
  const {{ measure }} = await import("/{SCRIPT.name}");
  return measure(options).catch((fault) => ({{ missing: fault.message }}));
}}"""


def lines(n: int, d: int, found: dict) -> list[str]:
    """What to print of one size."""
    theirs = found["medians"].pop("onnxruntime")
    subgroups = "with" if found["subgroups"] else "without"
    ran = f"{', '.join(found['programs'])}, {subgroups} subgroups"
    told = [f"  n {n:>5} d {d:>3}  onnxruntime {1000 * theirs:8.1f} ms  ({ran})"]
    for way, seconds in found["medians"].items():
        line = (
            f"{'':17} {way:<11} {1000 * seconds:8.1f} ms  {seconds / theirs:6.2f} x onnxruntime's"
        )
        if way in found["page"]:
            line += f"  by {found['clock']} {1000 * found['page'][way]:8.1f} ms"
        apart = found["apart"][way]
        told.append(f"{line}  {apart:.1e} apart{'' if apart < APART_MOST else ': WRONG'}")
    return told


def report(address: str, chromium, sizes=SIZES, repeats: int = REPEATS) -> None:
    """The lines of every size, each measured in a page of its own."""
    smallest = min(sizes)  # too small for the page's clock, which may not move in it
    for n, d in sizes:
        page = chromium.new_page()
        page.goto(address + "beside.html")
        options = {"n": n, "d": d, "repeats": repeats, "pageClock": (n, d) != smallest}
        found = page.evaluate(MEASURE, {**options, "model": list(model(n, d))})
        page.close()
        if "missing" in found:
            raise NotMeasuredError(found["missing"])
        if (n, d) == sizes[0]:
            print("  on", ", beside ".join(dict.fromkeys(found["adapters"])))
        print(*lines(n, d, found), sep="\n")


def beside_onnxruntime(sizes=SIZES, repeats: int = REPEATS) -> None:
    """Bring onnxruntime-web, open a browser and report; say so where something is missing."""
    print(f"beside {PACKAGE} {VERSION}: run and answer read back, wall clock, median of {repeats}")
    try:
        archive = package()
        with tempfile.TemporaryDirectory() as name:
            folder = site_server.assemble(Path(name))
            unpack(archive, folder)
            shutil.copy(SCRIPT, folder)
            (folder / "beside.html").write_text(PAGE, encoding="utf-8")
            chrome = shots.browser(*shots.WEBGPU)
            with site_server.served(folder) as address, chrome as chromium:
                report(address, chromium, sizes, repeats)
    except (NotMeasuredError, shots.NoBrowser) as reason:
        print(f"  not measured: {reason}")


if __name__ == "__main__":
    beside_onnxruntime()
