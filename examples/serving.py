# SPDX-License-Identifier: Apache-2.0
"""An HTTP server with KServe's protocol (v2, JSON) over a session that joins requests into batches.

python examples/serving.py [cls.onnx] [port]
curl localhost:8080/v2/models/cls/infer -d '{"inputs": [{"name": "x", "shape": [1, 3, 48, 192], "datatype": "FP32", "data": [...]}]}'
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import anydim
import numpy as np

TYPES = {"FP32": np.float32, "INT64": np.int64, "INT32": np.int32, "UINT8": np.uint8, "BOOL": np.bool_}
NAMES = {np.dtype(t): name for name, t in TYPES.items()}
STATUS = {anydim.BusyError: 503, anydim.Error: 400, KeyError: 400, ValueError: 400}


class Server(ThreadingHTTPServer):
    def __init__(self, model: str, port: int) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.name = Path(model).stem
        self.session = anydim.InferenceSession(model, batching=anydim.Batching(rows=16, wait=0.002, waiting=256))

    def infer(self, request: dict) -> dict:
        feeds = {i["name"]: np.array(i["data"], TYPES[i["datatype"]]).reshape(i["shape"]) for i in request["inputs"]}
        options = anydim.RunOptions()
        options.timeout = request.get("parameters", {}).get("timeout", 1e6) / 1e6  # microseconds, as KServe has them
        outputs = zip(self.session.get_outputs(), self.session.run(None, feeds, options), strict=True)
        told = [
            {"name": o.name, "shape": y.shape, "datatype": NAMES[y.dtype], "data": y.ravel().tolist()}
            for o, y in outputs
        ]
        return {"model_name": self.name, "id": request.get("id", ""), "outputs": told}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status: int, body: dict) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self) -> None:
        known = self.path in ("/v2/health/ready", f"/v2/models/{self.server.name}/ready")
        self.answer(200 if known else 404, vars(self.server.session.batching))

    def do_POST(self) -> None:
        try:
            self.answer(200, self.server.infer(json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
        except tuple(STATUS) as failure:
            status = next(code for kind, code in STATUS.items() if isinstance(failure, kind))
            self.answer(status, {"error": str(failure)})


if __name__ == "__main__":
    model = sys.argv[1] if len(sys.argv) > 1 else "build/models/cls.onnx"
    Server(model, int(sys.argv[2]) if len(sys.argv) > 2 else 8080).serve_forever()
