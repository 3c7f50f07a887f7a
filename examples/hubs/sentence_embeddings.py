# SPDX-License-Identifier: Apache-2.0
"""sentence-transformers with Anydim as ONNX Runtime's provider: one line more, and texts of any length without a stall.

pip install dist/anydim-*.whl onnxruntime optimum-onnx sentence-transformers
python examples/hubs/sentence_embeddings.py [name or folder of a sentence-transformers model]

Without a name it makes a small model with drawn weights, so that nothing is downloaded.
"""

import sys
import tempfile
import time
from pathlib import Path

import anydim.ort
from sentence_transformers import SentenceTransformer

TEXTS = ("a cat sleeps", "a cat sleeps here", "dims at run time", " ".join(["many words of one long text"] * 20))


def small_model(folder: Path) -> str:
    """A BERT of two layers with the mean of its tokens, as a hub has them."""
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    words = sorted({word for text in TEXTS for word in text.split()})
    bert, vocabulary = folder / "bert", folder / "vocab.txt"
    vocabulary.write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]), encoding="utf-8")
    BertTokenizerFast(str(vocabulary)).save_pretrained(bert)
    config = BertConfig(
        vocab_size=5 + len(words), hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128
    )
    BertModel(config).save_pretrained(bert)
    SentenceTransformer(modules=[Transformer(str(bert)), Pooling(64)], device="cpu").save(str(folder / "made"))
    return str(folder / "made")


def main() -> None:
    anydim.ort.install()  # sessions that are made from here on use it
    with tempfile.TemporaryDirectory() as folder:
        source = sys.argv[1] if len(sys.argv) > 1 else small_model(Path(folder))
        model = SentenceTransformer(source, backend="onnx", device="cpu")
        print("providers:", *model[0].auto_model.model.get_providers())
        for text in TEXTS:
            begin = time.perf_counter()
            model.encode(text)
            print(f"{len(text.split()):>3} words, {1e3 * (time.perf_counter() - begin):.1f} ms")
        for row in model.similarity(model.encode(TEXTS), model.encode(TEXTS)).tolist():
            print("similarity:", *(f"{value:.4f}" for value in row))


if __name__ == "__main__":
    main()
