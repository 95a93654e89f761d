"""Templates: a number that is not quoted from a claim stops the build, wherever it stands."""

import pytest
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.prose import forms, marks, names, numerals, templates

CLAIMS = forms.by_id(
    {
        "claims": [
            {"id": "kernels.fused", "value": 1, "display": "1"},
            {"id": "ratio", "value": 16.5152, "display": "16.5152"},
            {"id": "bytes", "value": 17301504, "display": "17,301,504"},
        ]
    }
)


def render(text, **values):
    return templates.render(text, "x.j2", CLAIMS, **values)


def test_quoted_numbers_names_and_forms():
    text = "In {{ w('kernels.fused') }} trip, {{ n('ratio', places=1) }} times, {{ name.fp16 }}."
    marked = render(text)
    assert marks.plain(marked) == "In one trip, 16.5 times, fp16."
    claimed = [part for part in marks.quoted(marked) if part.is_claim]
    assert [(part.key, part.form) for part in claimed] == [
        ("kernels.fused", "word"),
        ("ratio", "places=1"),
    ]
    assert marks.plain(render("{{ W('kernels.fused') }} trip")) == "One trip"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("It moves 17 bytes.", "17"),
        ("It takes one trip.", "one"),
        ("Thirty-four of them.", "Thirty"),
        ("It is twice as much.", "twice"),
        ("In fp16.", "fp16."),
        ("{% if x %}In 2018.{% else %}Then.{% endif %}", "2018."),
        ("{% if x %}Now.{% else %}In four ways.{% endif %}", "four"),
        ("\n\nthe half of it", "half"),
    ],
)
def test_a_typed_number_is_refused_in_any_branch(text, number):
    with pytest.raises(ClaimError, match=f"found the number '{number}' typed by hand"):
        render(text, x=True)


def test_the_message_names_the_line():
    with pytest.raises(ClaimError, match=r"^x\.j2:3: found the number '17'"):
        render("a\nb\nc 17\n")


@pytest.mark.parametrize(
    "text", ["{{ 17 }} bytes", "{{ '17' }}", "{{ 'seven' ~ 'teen' }}", "{{ x }}"]
)
def test_a_number_that_an_expression_makes_is_refused(text):
    with pytest.raises(ClaimError, match="expected it to be quoted"):
        render(text, x="seventeen")


def test_in_html_values_are_escaped_and_tags_are_no_prose():
    text = "<h1>{{ title }}</h1> {{ n('bytes') }}"
    marked = templates.render(text, "x", CLAIMS, markup=True, title="a < b & <script>")
    assert marks.plain(marked) == "<h1>a &lt; b &amp; &lt;script&gt;</h1> 17,301,504"
    with pytest.raises(ClaimError, match="found the number '17' typed by hand"):
        templates.render("<h1>17</h1>", "x", CLAIMS, markup=True)
    with pytest.raises(ClaimError, match="found the number 'h1' typed by hand"):
        templates.render("<h1>", "x", CLAIMS)


def test_a_claim_that_is_gone_or_does_not_fit_its_form_is_named():
    with pytest.raises(ClaimError, match=r"cannot quote 16\.5152 in the form 'word'"):
        render("{{ w('ratio') }}")
    with pytest.raises(ClaimError, match=r"x\.j2: found no claim gone\.claim, expected one"):
        render("{{ n('gone.claim') }}")


@pytest.mark.parametrize(
    "text",
    [
        "{{ nothing }}",
        "{% if %}",
        "{{ name.unknown }}",
        "{{ n( }}",
        "{{ n() }}",
        "{{ n(['a']) }}",
        "{{ x / y }}",
        "{% include 'x' %}",
    ],
)
def test_a_wrong_template_is_one_sentence(text):
    with pytest.raises(FactsError, match=r"^x\.j2.*expected a template"):
        render(text, x=1, y=0)


def test_every_name_has_a_reason_and_needs_one(tmp_path):
    listed, phrases = names.read()
    assert listed["fp16"] == "fp16"
    assert phrases
    path = tmp_path / "names.json"
    for text, where in (
        ('{"names": {"a": {"text": "a1"}}, "phrases": []}', r"names\.a found no why"),
        ('{"names": [], "phrases": []}', "names found"),
        ('{"names": {}, "phrases": 3}', "phrases found 3"),
        ('{"names": {}, "phrases": [{"text": 5, "why": "x"}]}', r"phrases\[0\]\.text found 5"),
        ("[]", "the document found"),
    ):
        path.write_text(text)
        with pytest.raises(FactsError, match=where):
            names.read(path)


def test_a_bare_year_is_no_name_outside_its_words():
    assert "2018" not in names.phrases()
    for sentence in ("in 2018 reads", "2022 MiB", "seventeen reads", "twice the bytes"):
        with pytest.raises(ClaimError, match="expected names only"):
            names.only_names(sentence, "left_out")


def test_prose_that_travels_with_the_facts_holds_names_only(facts):
    assert names.left_out(facts)
    with pytest.raises(ClaimError, match="found the number '258'"):
        names.only_names("Fused moves 258 MiB.", "left_out")


def test_small_numbers_have_words_and_others_digits():
    assert [numerals.spell(value) for value in (0, 1, 20)] == ["zero", "one", "twenty"]
    assert [numerals.spell(value) for value in (-1, 21, 2018)] == ["-1", "21", "2,018"]


SAID = """zero one ten twenty thirty ninety hundred thousands millions dozen half halves third
fourths fifth sixth seventh eighth ninth tenth twelfth sixteenth twentieth hundredth thousandths
once twice thrice double doubled halved triple quadrupled threefold tenfold hundredfold sixes Ones
TWO forty-two"""


@pytest.mark.parametrize("word", SAID.split())
def test_a_number_word_is_found_in_every_form(word):
    with pytest.raises(ClaimError, match="typed by hand"):
        render(f"It takes {word} of them.")


@pytest.mark.parametrize("sign", ["½", "n²", "x⁴", "①", "Ⅳ", "XIV", "٣", "1e6", "4,5"])
def test_a_number_sign_is_found_whatever_its_script(sign):
    with pytest.raises(ClaimError, match="typed by hand"):
        render(f"It takes {sign} of them.")


@pytest.mark.parametrize(
    "word", ["often", "tone", "someone's", "Vixen", "weighted", "I", "attention"]
)
def test_a_word_that_only_holds_a_number_s_letters_is_none(word):
    render(f"It is {word}.")


@pytest.mark.parametrize("text", ["th\u00adree", "s\u200beven", "a\u2060b"])
def test_characters_that_nobody_sees_are_refused(text):
    with pytest.raises(ClaimError, match="typed by hand"):
        render(text)


@pytest.mark.parametrize(
    "text",
    [
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
        templates.render(text, "x", CLAIMS, markup=True)


def test_a_name_within_a_longer_token_is_no_name():
    assert "fp161" in numerals.masked("fp161", ["fp16"])
    assert "K235" in numerals.masked("K235", ["K23"])
