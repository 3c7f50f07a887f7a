# SPDX-License-Identifier: Apache-2.0
"""Hugging Face Optimum with Anydim as ONNX Runtime's provider: one line more, and texts of any length without a stall.

pip install dist/anydim-*.whl onnxruntime optimum-onnx torch
python examples/hubs/optimum_classifier.py [name or folder of a model for text classification]

Without a name it makes a small BERT with drawn weights, so that nothing is downloaded.
"""

import sys
import tempfile
import time
from pathlib import Path

import anydim.ort
from optimum.onnxruntime import ORTModelForSequenceClassification
from transformers import AutoTokenizer, pipeline

TEXTS = ("short", "a text of some words more", " ".join(["dims at run time"] * 30), "short again", "one two three")


def small_bert(folder: Path) -> str:
    """A BERT of two layers and its tokenizer, as a hub has them."""
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    words = sorted({word for text in TEXTS for word in text.split()})
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]), encoding="utf-8")
    BertTokenizerFast(str(vocabulary)).save_pretrained(folder)
    config = BertConfig(
        vocab_size=5 + len(words), hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128
    )
    BertForSequenceClassification(config).eval().save_pretrained(folder)
    return str(folder)


def main() -> None:
    anydim.ort.install()  # sessions that are made from here on use it
    with tempfile.TemporaryDirectory() as folder:
        source = sys.argv[1] if len(sys.argv) > 1 else small_bert(Path(folder))
        model = ORTModelForSequenceClassification.from_pretrained(source, export=True)
        print("providers:", *model.model.get_providers())
        classify = pipeline("text-classification", model=model, tokenizer=AutoTokenizer.from_pretrained(source))
        for text in TEXTS:
            begin = time.perf_counter()
            (found,) = classify(text)
            took = 1e3 * (time.perf_counter() - begin)
            print(f"{len(text.split()):>3} words, {took:.1f} ms: {found['label']} {found['score']:.6f}")


if __name__ == "__main__":
    main()
