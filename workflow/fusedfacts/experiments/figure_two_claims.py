"""What is claimed of FlashAttention's Figure 2: what is quoted, what is counted."""

from __future__ import annotations

from typing import Any

from fusedfacts.claims.claim import DAO, Claim, Group

PAPER = Group(
    "fusedfacts.experiments.figure_two.compute",
    ("figure_two.printed",),
    "It is quoted from the paper; nothing here measures or counts it.",
    "That the paper prints it says nothing of how it was had.",
    DAO,
)
COUNTED = Group(
    "fusedfacts.experiments.figure_two.compute",
    ("figure_two.setting",),
    "The closed form equals what the printed algorithm's loops do, run without numbers for a head.",
    "That an accounting comes near a printed number does not say that it was had so.",
)
READ = Group(
    "fusedfacts.experiments.figure_two.compute",
    ("figure_two.setting", "figure_two.printed"),
    "It is arithmetic on printed and counted numbers.",
    "It is a reading of printed numbers, not how they were had.",
)
SAID = """
n | The figure's caption says a sequence length of {}. | words | as the caption says
d | The figure's caption says a head dimension of {}. | numbers | as the caption says
heads | The figure's caption says {} heads. | heads | as the caption says
batch | The figure's caption says a batch of {}. | sentences | as the caption says
"""
CHIP = """
on_chip_kb | The paper gives an A100's multiprocessor {} KB of memory. | KB | as the paper says
tb_a_second | The paper gives an A100's memory {} TB a second or more. | TB/s | as the paper says
"""
PRINTS = """
standard_gflops | For standard attention the figure prints {} GFLOPs. | GFLOPs | as printed
standard_gb | For standard attention the figure prints {} GB. | GB | as printed
standard_ms | For standard attention the figure prints {} ms. | ms | as printed
flash_gflops | For FlashAttention the figure prints {} GFLOPs. | GFLOPs | as printed
flash_gb | For FlashAttention the figure prints {} GB. | GB | as printed
flash_ms | For FlashAttention the figure prints {} ms. | ms | as printed
earlier_standard_gb | For standard attention the first version of the figure prints {} GB. | GB
    | as printed
earlier_standard_ms | For standard attention the first version of the figure prints {} ms. | ms
    | as printed
earlier_flash_gb | For FlashAttention the first version of the figure prints {} GB. | GB
    | as printed
earlier_flash_ms | For FlashAttention the first version of the figure prints {} ms. | ms
    | as printed
"""
SIZES = """
operand_gb | An operand of all the figure's heads has {} GB in float16. | GB | 2 n d heads
table_gb | A table of all the figure's heads has {} GB in float16. | GB | 2 n^2 heads
line_one | Line one of the algorithms gives key tiles of {} rows of the chip's memory. | rows
    | floor(M / (4 d))
"""
STANDARD = """
operands | Standard attention, forward and backward, moves {} operands. | operands | 4 + 8
crossings | Standard attention, forward and backward, has {} table crossings. | crossings | 4 + 7
gb | Standard attention, forward and backward, moves {} GB as the paper writes it. | GB
    | 2 heads (12 n d + 11 n^2)
"""
STANDARD_READ = """
crossings_printed | The printed bytes of standard attention are its operands and about {} crossings
    of a table. | crossings | (printed - 24 heads n d) / (2 heads n^2)
crossings_earlier | The bytes printed in the first version are the operands and about {} crossings.
    | crossings | (printed - 24 heads n d) / (2 heads n^2)
"""
EAGER = """
crossings | With mask and dropout apart, standard attention has {} table crossings. | crossings
    | 11 + 2 + 5
gb | With mask and dropout apart, standard attention moves {} GB. | GB | 2 heads (12 n d + 18 n^2)
one_less_gb | With one crossing less than that it moves {} GB. | GB | 2 heads (12 n d + 17 n^2)
one_more_gb | With one crossing more than that it moves {} GB. | GB | 2 heads (12 n d + 19 n^2)
without_dropout_gb | With a mask apart and no dropout it moves {} GB. | GB
    | 2 heads (12 n d + 13 n^2)
"""
WAYS = {
    "printed": "as printed, all in float16",
    "bare": "without initial stores, statistics in float32",
    "least": "without initial stores, first loads of them and statistics, O loaded once",
}
ROWS = "rows | FlashAttention's key tiles are counted with {} rows. | rows | as chosen"
FLASH = """
forward | FlashAttention's forward pass with key tiles of $bc rows moves {} GB $way. | GB
    | Algorithm 1 $way
both | FlashAttention's two passes with key tiles of $bc rows move {} GB $way. | GB
    | Algorithms 1 and 4 $way
"""
ONE = """
one | One matrix product of the figure's setting takes {} GFLOPs. | GFLOPs | 2 n^2 d heads
ratio | FlashAttention has {} times the matrix products of standard attention. | 1
    | products / products
"""
RATIO = """
ratio_printed | The printed GFLOPs of FlashAttention are {} times those of standard attention. | 1
    | printed / printed
"""
PRODUCTS = """
products | Forward and backward, $what has {} matrix products. | products | $parts
gflops | The matrix products of $what take {} GFLOPs. | GFLOPs | products times 2 n^2 d heads
times | That is {} times what is printed for $what. | 1 | products times 2 n^2 d heads / printed
"""
SPEED = """
standard | What is printed for standard attention is {} GB a second. | GB/s | GB / time
flash | What is printed for FlashAttention is {} GB a second. | GB/s | GB / time
"""


def claims(figure: dict[str, Any]) -> list[Claim]:
    """Claim what is quoted, what is counted, and what one says of the other."""
    standard, products = figure["standard"], figure["products"]
    found = PAPER.table("figure_two.setting.{}", SAID, figure["setting"])
    found += PAPER.table("figure_two.chip.{}", CHIP, figure["chip"])
    found += PAPER.table("figure_two.printed.{}", PRINTS, figure["printed"])
    found += COUNTED.table("figure_two.{}", SIZES, figure)
    found += COUNTED.table("figure_two.standard.{}", STANDARD, standard)
    found += READ.table("figure_two.standard.{}", STANDARD_READ, standard)
    found += READ.table("figure_two.standard.eager.{}", EAGER, standard["eager"])
    for size, by in figure["flash"].items():
        found += COUNTED.table(f"figure_two.flash.{size}.{{}}", ROWS, by)
        for name, way in WAYS.items():
            words = {"bc": size.removeprefix("bc"), "way": way}
            found += COUNTED.table(f"figure_two.flash.{size}.{name}.{{}}", FLASH, by[name], words)
    found += COUNTED.table("figure_two.products.{}", ONE, products)
    found += READ.table("figure_two.products.{}", RATIO, products)
    for name, what, parts in (
        ("standard", "standard attention", "2 + 4"),
        ("flash", "FlashAttention", "2 + 5"),
    ):
        words = {"what": what, "parts": parts}
        found += READ.table(f"figure_two.products.{name}.{{}}", PRODUCTS, products[name], words)
    return found + READ.table("figure_two.gb_a_second.{}", SPEED, figure["gb_a_second"])
