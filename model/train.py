"""Train the model: one causal attention layer on the sentences of `corpus.py`.

PyTorch is needed here and nowhere else (see the model card for the two commands). The facts
never run this file: they load the weights that it wrote.
"""

from __future__ import annotations

import argparse
import json
from itertools import islice
from pathlib import Path

import torch
from corpus import SEED, WORDS, held_out_sentences, sentences, vocabulary
from fusedfacts.documents import files
from ordered import canonical_weights
from safetensors.torch import save
from torch import nn
from tqdm import trange

WIDTH, HEADS, HEAD_DIM = 64, 4, 16
TRAINING_SENTENCES = 40_000
BATCH = 128
PEAK_RATE = 3e-3
LEAST_STEPS = 100  # the rate's warm-up is a twentieth of the run


class OneLayer(nn.Module):
    """Embedding + position -> causal attention, added back -> next word's logits.

    There is no layer norm, no bias and no second layer: the queries, keys and values that the
    facts are about are one matrix product away from the embeddings.
    """

    def __init__(self, words: int) -> None:
        super().__init__()

        def matrix(rows: int, columns: int, scale: float) -> nn.Parameter:
            return nn.Parameter(torch.randn(rows, columns) * scale)

        self.embedding = matrix(words, WIDTH, 0.5)
        self.position = matrix(WORDS, WIDTH, 0.5)
        self.query = matrix(WIDTH, WIDTH, WIDTH**-0.5)
        self.key = matrix(WIDTH, WIDTH, WIDTH**-0.5)
        self.value = matrix(WIDTH, WIDTH, WIDTH**-0.5)
        self.output = matrix(WIDTH, WIDTH, WIDTH**-0.5)
        self.unembedding = matrix(WIDTH, words, WIDTH**-0.5)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Logits, shape (batch, words, vocabulary), for token ids (batch, words)."""
        batch, length = tokens.shape
        x = self.embedding[tokens] + self.position[:length]
        q, k, v = (
            (x @ w).view(batch, length, HEADS, HEAD_DIM).transpose(1, 2)
            for w in (self.query, self.key, self.value)
        )
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + mixed.transpose(1, 2).reshape(batch, length, WIDTH) @ self.output
        return x @ self.unembedding


def next_word_loss(model: OneLayer, tokens: torch.Tensor) -> torch.Tensor:
    """Mean cross-entropy, in nats, of each word but the first, given those before it."""
    logits = model(tokens)[:, :-1]
    return nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument(
        "--output", type=Path, default=Path(__file__).parent / "weights.safetensors"
    )
    options = parser.parse_args()
    if options.steps < LEAST_STEPS:
        parser.error(f"--steps: found {options.steps}, expected at least {LEAST_STEPS}")

    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    word_list = vocabulary()
    ids = {word: index for index, word in enumerate(word_list)}

    def encode(lines: list[list[str]]) -> torch.Tensor:
        return torch.tensor([[ids[word] for word in line] for line in lines])

    stream = sentences(options.seed, held_out=False)
    training = encode(list(islice(stream, TRAINING_SENTENCES)))
    held_out = encode(held_out_sentences())

    model = OneLayer(len(word_list))
    optimizer = torch.optim.Adam(model.parameters(), lr=PEAK_RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=PEAK_RATE, total_steps=options.steps, pct_start=0.05
    )
    progress = trange(options.steps)
    for step in progress:
        batch = training[torch.randint(len(training), (BATCH,))]
        loss = next_word_loss(model, batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 200 == 0:
            with torch.no_grad():
                progress.set_postfix(held_out=f"{next_word_loss(model, held_out):.4f}")

    metadata = {
        "architecture": "one causal attention layer, no bias, no norm",
        "heads": str(HEADS),
        "head_dim": str(HEAD_DIM),
        "seed": str(options.seed),
        "steps": str(options.steps),
        "training_sentences": str(TRAINING_SENTENCES),
        "words": str(WORDS),
    }
    tensors = {name: value.detach().contiguous() for name, value in model.named_parameters()}
    files.write_bytes(options.output, canonical_weights(save(tensors, metadata)))
    print(json.dumps(metadata), f"held-out loss {next_word_loss(model, held_out).item():.4f}")


if __name__ == "__main__":
    main()
