"""Pages of the site that must have nothing to complain of; one is empty, for scripts of a test."""

import base64
from contextlib import contextmanager

import numpy as np

from support.common import tensors

# No inline script, no eval, nothing from elsewhere.
POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'; worker-src 'self'"
HELPERS = """
globalThis.violations = [];
addEventListener("securitypolicyviolation", (e) => violations.push(e.violatedDirective));
globalThis.floats = (text) =>
  new Float32Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
globalThis.coded = ({buffer, byteOffset, byteLength}) => {
  const bytes = Array.from(new Uint8Array(buffer, byteOffset, byteLength));
  return btoa(bytes.map((byte) => String.fromCharCode(byte)).join(""));
};
globalThis.decoded = (x) => ({...x, q: floats(x.q), k: floats(x.k), v: floats(x.v)});
globalThis.fault = async (work) => {
  try { await (typeof work === "function" ? work() : work); return null; }
  catch (reason) { return {name: reason.name, kind: reason.kind, message: reason.message}; }
};
globalThis.module = () => import("/js/device/index.js");
"""
OPEN = "async () => { globalThis.chip = await (await module()).open(); }"
COUNT = """async (inputs) => {
  const found = [];
  for (const {options, ...input} of inputs) {
    const before = chip.dispatches;
    const {output, elements, bytes} = await chip.count(decoded(input), options);
    found.push({output: coded(output), elements, bytes, dispatches: chip.dispatches - before});
  }
  return found;
}"""


@contextmanager
def opened(browser, **options):
    """A page with a context of its own, which must have nothing to complain of."""
    complaints, worth = [], ("error", "warning")
    with browser.new_context(**options) as context:
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda line: line.type in worth and complaints.append(line.text))
        yield page
    assert complaints == []


@contextmanager
def visited(browser, site, script=""):
    """The empty page, with helpers and a script run before all else."""
    headers = {"content-security-policy": POLICY}
    empty = {"content_type": "text/html", "body": "<!doctype html><title>empty</title>"}
    with browser.new_context() as context:
        context.add_init_script(HELPERS + script)
        page = context.new_page()
        page.route("**/empty.html", lambda route: route.fulfill(headers=headers, **empty))
        page.goto(site + "empty.html")
        yield page
        assert page.evaluate("violations") == []


def coded(array):
    """Base64 of an array's bytes."""
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def floats(text, n, d):
    """A float32 array from base64."""
    return np.frombuffer(base64.b64decode(text), np.float32).reshape(n, d)


def given(n, d, causal=False, **more):
    """A seeded input as the page takes it."""
    q, k, v = tensors(n, d)
    return {"n": n, "d": d, "causal": causal, "q": coded(q), "k": coded(k), "v": coded(v), **more}


def one_sentence(message):
    """Whether a message is a plain sentence for a visitor."""
    return message[0].isupper() and message.endswith(".") and "\n" not in message
