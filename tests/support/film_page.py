"""A page with the film alone, as strict about scripts and styles as the lesson's page."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:"
)
HTML = f"""<!doctype html><html lang="en"><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width"><title>The film</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="film.css">
<h1>The film</h1><div id="film"></div><button id="after">After the film</button>
<script type="module" src="film_page.js"></script></html>
"""
SCRIPT = """
import { mount } from "./js/film/index.js";
const read = async (path) => (await fetch(path)).json();
const [film, facts] = await Promise.all([read("film.json"), read("drawn.json")]);
window.sources = { film, facts };
window.start = (options) => {
  window.film = mount(document.querySelector("#film"), window.sources, options);
  return window.film.ready;
};
"""
READY = "() => Boolean(window.start)"
# What is seen on the stage: each text with its parts, its place and how it is lit.
SEEN = """() => {
  const stage = document.querySelector(".film-stage");
  const frame = stage.getBoundingClientRect();
  const lit = (node) => {
    let all = 1;
    for (let up = node; up !== stage; up = up.parentNode) {
      if (up.getAttribute("display") === "none") return 0;
      all *= Number(up.getAttribute("opacity") ?? 1);
    }
    return all;
  };
  return [...stage.querySelectorAll("text")].map((node) => {
    const opacity = lit(node);
    if (opacity < 0.05) return null;
    const box = node.getBoundingClientRect();
    return {
      text: node.textContent,
      plain: [...node.childNodes].filter((part) => part.nodeType === 3).map((part) => part.data),
      marked: [...node.children].map((part) => ({ text: part.textContent, ...part.dataset })),
      opacity, turned: Boolean(node.getAttribute("transform")?.includes("rotate")),
      box: [box.left, box.top, box.right, box.bottom].map((at, k) =>
        at - (k % 2 ? frame.top : frame.left)),
      size: Number(node.getAttribute("font-size")) * Math.min(
        frame.width / stage.viewBox.baseVal.width, frame.height / stage.viewBox.baseVal.height),
      room: [frame.width, frame.height],
    };
  }).filter(Boolean);
}"""


def lay(folder):
    """Put the page beside the sources in a served folder."""
    (folder / "film.html").write_text(HTML, encoding="utf-8")
    (folder / "film_page.js").write_text(SCRIPT, encoding="utf-8")


def mount(page, address, *, start="{}", before="", width=1280, forget=True, **media):
    """The film mounted anew, after a script that may change its sources or the browser."""
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(**{"color_scheme": "dark", "reduced_motion": "no-preference", **media})
    page.goto(f"{address}film.html")
    page.wait_for_function(READY)
    clear = "localStorage.clear()" if forget else ""
    page.evaluate(f"() => {{ {clear}; {before}; return window.start({start}); }}")


def at_each(page, times, script):
    """What a function returns at each of several times."""
    return page.evaluate(
        f"times => times.map((time) => {{ film.seek(time); return ({script})(); }})", times
    )


def cues(film):
    """All cues of the film."""
    return [cue for scene in film["scenes"] for cue in scene["cues"]]


def times(film):
    """Times worth looking at: each cue's begin, middle and end."""
    spans = [(cue["start_ms"], cue["end_ms"]) for cue in cues(film)]
    found = {t for start, end in spans for t in (start + 10, (start + end) // 2, end - 60)}
    return sorted(found | {film["duration_ms"]})
