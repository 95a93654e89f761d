"""What each claim's value is, as a formula: one line for each kind of claim.

`n`, `d`, `br` and `bc` are the words, the numbers a head and the rows of a query and a key tile;
`x^` is what float32 computed and `x` what float64 did; `#{..}` counts. Where a formula is closed, a
test evaluates it for every claim of its kind.
"""

from __future__ import annotations

import re
from functools import cache

from fusedfacts.errors import ClaimError

FUSED_BYTES = "4 d (2 n + 2 n ceil(n / br))"
UNFUSED_BYTES = f"{FUSED_BYTES} + 16 n^2"
# With M = n ceil(n / bc), the meetings of a row with a key tile.
FUSED_OPERATIONS = {
    "multiplications": "n d + 2 n^2 d + n ceil(n / bc) (1 + d)",
    "additions": "2 n^2 d + 2 n^2 + n ceil(n / bc)",
    "exps": "n^2 + n ceil(n / bc)",
    "divisions": "n d",
    "comparisons": "n^2 - n",
}
UNFUSED_OPERATIONS = {
    "multiplications": "n d + 2 n^2 d",
    "additions": "2 n^2 d + 2 n^2 - n",
    "exps": "n^2",
    "divisions": "n^2",
    "comparisons": "n^2 - n",
}
SIZE = r"n\d+\.d\d+"

# The first pattern that fits a claim's whole id says its formula.
TABLE = (
    (rf"traffic\.compulsory\.{SIZE}", "16 n d"),
    (rf"traffic\.fused\.{SIZE}", FUSED_BYTES),
    (rf"traffic\.unfused\.{SIZE}", UNFUSED_BYTES),
    (rf"traffic\.fused\.mib\.{SIZE}", f"({FUSED_BYTES}) / 2^20"),
    (rf"traffic\.unfused\.mib\.{SIZE}", f"({UNFUSED_BYTES}) / 2^20"),
    (rf"traffic\.ratio\.{SIZE}", f"({UNFUSED_BYTES}) / ({FUSED_BYTES})"),
    (r"traffic\.table\.n\d+", "4 n^2"),
    (r"traffic\.table\.mib\.n\d+", "4 n^2 / 2^20"),
    (r"traffic\.table\.crossings", "(elements of s and p, loaded and stored) / n^2"),
    (r"tiles\.query_rows\.d\d+", "2048 / d"),
    (r"tiles\.key_rows\.d\d+", "1024 / d"),
    *(
        (rf"operations\.fused\.{kind}\.{SIZE}", formula)
        for kind, formula in FUSED_OPERATIONS.items()
    ),
    *(
        (rf"operations\.unfused\.{kind}\.{SIZE}", formula)
        for kind, formula in UNFUSED_OPERATIONS.items()
    ),
    *(
        (rf"operations\.extra\.{kind}\.{SIZE}", f"{fused} - ({UNFUSED_OPERATIONS[kind]})")
        for kind, fused in FUSED_OPERATIONS.items()
    ),
    *(
        (rf"operations\.fewer\.{kind}\.{SIZE}", f"{unfused} - ({FUSED_OPERATIONS[kind]})")
        for kind, unfused in UNFUSED_OPERATIONS.items()
    ),
    (r"kernels\.(un)?fused", "#{kernels launched}"),
    (r"kernels\.workgroup_bytes\.\w+\.d\d+", "sum of the kernel's workgroup arrays, in bytes"),
    (r"kernels\.invocations\.\w+\.d\d+", "product of the kernel's workgroup size"),
    (r"kernels\.longest_unfused", "largest n with 4 n^2 <= binding_bytes_limit"),
    (r"kernels\.\w+_limit", "as WebGPU's default limit is"),
    (r"(values|attention|online)\..+\.error", "max |x^ - x|"),
    (r"(values|attention|online)\..+\.bound", "bound where |x^ - x| is largest"),
    (r"(values|attention|online)\..+\.ratio", "max (|x^ - x| / bound)"),
    (r"(values|attention|online)\..+\.within_bound", "|x^ - x| <= bound for every element"),
    (r"(values|attention)\..+\.fault_in_some_row", "largest k: total (1 - 2^-k) seen in some row"),
    (r"(values|attention)\..+\.fault_in_every_row", "largest k: total (1 - 2^-k) seen in each row"),
    (r"attention\.largest_error", "max over heads and ways of max |x^ - x|"),
    (r"attention\.largest_ratio", "max over heads and ways of max (|x^ - x| / bound)"),
    (r"online\.records\.law\.n\d+", "sum of 1 / i for i from 1 to n"),
    (r"online\.records\.mean\.n\d+", "#{maxima set} / #{rows}"),
    (r"online\.model\.rises_by_record_law", "sum over rows of (sum of 1 / i for i from 1) - 1"),
    (r"online\.model\.rows", "#{rows}"),
    (r"online\..+\.rises", "#{scores above all before them, but each row's first}"),
    (r"model\.held_out_loss(_without_attention)?", "mean of -ln(share of the right next word)"),
    (r"model\..+", "a size of the model's files"),
    (r"control\.(head\d+\.)?rows_wrong", "#{rows with an element |x^ - x| > bound}"),
    (r"control\.(head\d+\.)?rows_right", "#{rows} - #{rows with an element |x^ - x| > bound}"),
    (r"control\.(head\d+\.)?elements_wrong", "#{elements with |x^ - x| > bound}"),
    (r"control\.(head\d+\.)?rows", "#{rows}"),
    (r"control\.(head\d+\.)?rows_maximum_in_first_tile", "#{rows whose maximum never rises}"),
    (
        r"control\.(head\d+\.)?rows_late_maximum_but_passing",
        "#{rows whose maximum rises and all |x^ - x| <= bound}",
    ),
    (r"control\.head\d+\.worst_ratio", "max (|x^ - x| / bound)"),
    (r"control\.heads_caught", "#{heads with an element |x^ - x| > bound}"),
    (r"mutants\..+\.inputs_seeing_it", "#{inputs with an element |x^ - x| > bound}"),
    (r"mutants\..+\.seen", "an element with |x^ - x| > bound"),
    (r"mutants\..+\.invisible", "every bit as without the fault"),
    (r"overflow\.fp16\.largest", "(2 - 2^-10) 2^15"),
    (r"overflow\.fp16\.rounds_to_infinity_from", "(2 - 2^-11) 2^15"),
    (r"overflow\.fp16\.ln_largest", "ln((2 - 2^-10) 2^15)"),
    (r"overflow\.fp16\.ln_rounds_to_infinity_from", "ln((2 - 2^-11) 2^15)"),
    (r"overflow\..+\.largest_score", "max score"),
    (r"overflow\..+\.exp_in_fp16", "fp16(e^(max score))"),
    (r"overflow\..+\.fits", "fp16(e^(max score)) is finite"),
    (r"overflow\.held_out\.scores", "#{scores}"),
    (r"overflow\.held_out\.rows", "#{rows}"),
    (r"overflow\..+\.infinite_terms", "#{scores >= ln((2 - 2^-11) 2^15)}"),
    (
        r"overflow\..+\.above_largest_but_finite",
        "#{ln((2 - 2^-10) 2^15) <= scores < ln((2 - 2^-11) 2^15)}",
    ),
    (r"overflow\..+\.rows_with_infinite_term", "#{rows with a score >= ln((2 - 2^-11) 2^15)}"),
    (
        r"overflow\..+\.rows_overflowing_in_total_only",
        "#{rows with finite terms and sum of fp16(e^score) >= (2 - 2^-11) 2^15}",
    ),
    (r"overflow\.after_subtraction\.largest_term", "max e^(score - max score of its row)"),
    (r"overflow\.after_subtraction\.terms_above_one", "#{e^(score - max score of its row) > 1}"),
    (r"contract\.certified_theta|contract\.vanished", "a constant of docs/error-bound.md"),
    (r"contract\.query_tile_bytes", "4 * 2048"),
    (r"contract\.key_tile_bytes", "4 * 1024"),
    (r"contract\.first_stride", "lanes / 2"),
    (r"contract\..+", "a constant of the kernels"),
    (r"worked\.fused_bytes", FUSED_BYTES),
    (r"worked\.unfused_bytes", UNFUSED_BYTES),
    (r"worked\.table_elements", "n^2"),
    (r"worked\.elements_in_all", "2 n d + 2 n d ceil(n / br)"),
    (r"worked\.elements\.[qo]", "n d"),
    (r"worked\.elements\.[kv]", "n d ceil(n / br)"),
    *((rf"worked\.{kind}", formula) for kind, formula in FUSED_OPERATIONS.items()),
    (r"worked\.scaled_query", "query / sqrt(d)"),
    (r"worked\.answer", "output / total, after the last tile"),
    (r"worked\.tile\d+\.maximum", "max(maximum before, scores of the tile)"),
    (r"worked\.tile\d+\.factor", "e^(maximum before - maximum)"),
    (r"worked\.tile\d+\.total", "total before x factor + sum of the weights"),
    (r"worked\.tile\d+\.output", "output before x factor + sum of weight x value"),
    (r"worked\.tile\d+\.score\d+", "scaled query . key"),
    (r"worked\.tile\d+\.weight\d+", "e^(score - maximum)"),
    (r"worked\.(n|d|key_rows|query_rows|query|value\d+)", "as chosen"),
    (r"(settings|sizes)\..+|control\.key_rows", "as chosen"),
)


@cache
def of(identifier: str) -> str:
    """The formula of a claim.

    Raises
    ------
    ClaimError
        If no pattern fits: a claim that cannot be followed is none.

    Examples
    --------
    >>> of("traffic.table.n64"), of("operations.extra.exps.n64.d16")
    ('4 n^2', 'n^2 + n ceil(n / bc) - (n^2)')
    """
    for pattern, formula in TABLE:
        if re.fullmatch(pattern, identifier):
            return formula
    raise ClaimError(
        f"claims: {identifier} has no formula, expected one in"
        " fusedfacts/experiments/formulas.py; add it"
    )
