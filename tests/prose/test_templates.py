"""Templates: a number that is not quoted from a claim stops the build, wherever it stands."""

from unittest import mock

import pytest
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.prose import marks, names, templates

CLAIMS = {
    "kernels.fused": {"value": 1, "display": "1"},
    "ratio": {"value": 16.5152, "display": "16.5152"},
    "bytes": {"value": 17301504, "display": "17,301,504"},
}


def render(text, **values):
    """Render this text as a template."""
    with mock.patch.object(templates, "source", return_value=text):
        return templates.render("x.j2", CLAIMS, **values)


def test_quoted_numbers_names_and_forms():
    text = "In {{ w('kernels.fused') }} trip, {{ n('ratio', places=1) }} times, {{ name.fp16 }}."
    marked = render(text)
    assert marks.plain(marked) == "In one trip, 16.5 times, fp16."
    assert [part[:2] for part in marks.quoted(marked)] == [
        ("kernels.fused", "word"),
        ("ratio", "places=1"),
    ]
    assert marks.plain(render("{{ W('kernels.fused') }} trip")) == "One trip"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("It takes one trip.", "one"),
        ("In fp16.", "fp16."),
        ("{% if x %}In 2018.{% else %}Then.{% endif %}", "2018."),
        ("{% if x %}Now.{% else %}In four ways.{% endif %}", "four"),
        ("\n\nthe half of it", "half"),
    ],
)
def test_a_typed_number_is_refused_in_any_branch(text, number):
    line = text.count("\n") + 1
    with pytest.raises(ClaimError, match=rf"^x\.j2:{line}: found the number '{number}' typed"):
        render(text, x=True)


@pytest.mark.parametrize("text", ["{{ 17 }} bytes", "{{ 'seven' ~ 'teen' }}", "{{ x }}"])
def test_a_number_that_an_expression_makes_is_refused(text):
    with pytest.raises(ClaimError, match="expected it to be quoted"):
        render(text, x="seventeen")


def test_in_html_values_are_escaped_and_tags_are_no_prose():
    text = "<h1>{{ title }}</h1> {{ n('bytes') }}"
    marked = render(text, markup=True, title="a < b & <script>")
    assert marks.plain(marked) == "<h1>a &lt; b &amp; &lt;script&gt;</h1> 17,301,504"
    with pytest.raises(ClaimError, match="found the number 'h1' typed by hand"):
        render("<h1>")


def test_a_claim_that_is_gone_or_does_not_fit_its_form_is_named():
    with pytest.raises(ClaimError, match=r"cannot quote 16\.5152 in the form 'word'"):
        render("{{ w('ratio') }}")
    with pytest.raises(ClaimError, match=r"x\.j2: found no claim gone\.claim, expected one"):
        render("{{ n('gone.claim') }}")


@pytest.mark.parametrize(
    "text", ["{{ nothing }}", "{% if %}", "{{ name.unknown }}", "{{ n() }}", "{{ n(['a']) }}"]
)
def test_a_wrong_template_is_one_sentence(text):
    with pytest.raises(FactsError, match=r"^x\.j2.*expected a template"):
        render(text)


def test_every_name_needs_a_reason(tmp_path):
    path = tmp_path / "names.json"
    path.write_text('{"names": {"a": {"text": "a1"}}, "phrases": []}')
    with pytest.raises(FactsError, match=r"names\.a found no why"):
        names.read(path)


@pytest.mark.parametrize("sentence", ["in 2018 reads", "seventeen reads", "Fused moves 258 MiB."])
def test_prose_of_the_facts_holds_names_only_and_a_bare_year_is_none(sentence):
    with pytest.raises(ClaimError, match="expected names only"):
        names.only_names(sentence, "left_out")


NUMBERS = """zero ten twenty ninety hundred thousands dozen half halves third fourths sixteenth
twentieth thousandths twice thrice doubled quadrupled threefold sixes Ones TWO forty-two
½ n² ① Ⅳ XIV ٣ 1e6 4,5 th\u00adree s\u200beven a\u2060b"""


@pytest.mark.parametrize("word", NUMBERS.split())
def test_a_number_is_found_in_every_form_and_script_and_so_is_what_hides_one(word):
    with pytest.raises(ClaimError, match="typed by hand"):
        render(f"It takes {word} of them.")


def test_a_word_that_only_holds_a_number_s_letters_is_none():
    render("often tone someone's Vixen weighted I attention")


@pytest.mark.parametrize(
    "text",
    [
        "<h1>17</h1>",
        "<p>sev<b>en</b></p>",
        "<p>sev&shy;en</p>",
        "<p>&frac12;</p>",
        '<img alt="17 MiB">',
        '<meta name="description" content="17 canneries">',
        '<abbr title="fourteen">x</abbr>',
        '<button aria-label="17">x</button>',
    ],
)
def test_markup_hides_no_number(text):
    with pytest.raises(ClaimError, match="typed by hand"):
        render(text, markup=True)
