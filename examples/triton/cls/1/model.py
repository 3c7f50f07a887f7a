# SPDX-License-Identifier: Apache-2.0
"""A model of Triton's Python backend on Anydim. Requests of all instances of a process share one session and join into batches; the
model's file lies beside this one. Triton gives the module triton_python_backend_utils."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import anydim
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        config = json.loads(args["model_config"])
        self.inputs = [i["name"] for i in config["input"]]
        self.outputs = [o["name"] for o in config["output"]]
        rows = max(1, config.get("max_batch_size", 0))
        self.session = anydim.InferenceSession(
            Path(__file__).with_name("model.onnx"), batching=anydim.Batching(rows=rows)
        )
        self.pool = ThreadPoolExecutor(4 * rows)

    def execute(self, requests):
        return list(self.pool.map(self.one, requests))

    def one(self, request):
        try:
            feeds = {name: pb_utils.get_input_tensor_by_name(request, name).as_numpy() for name in self.inputs}
            results = self.session.run(self.outputs, feeds)
            return pb_utils.InferenceResponse(
                [pb_utils.Tensor(n, y) for n, y in zip(self.outputs, results, strict=True)]
            )
        except anydim.Error as failure:
            return pb_utils.InferenceResponse([], pb_utils.TritonError(str(failure)))

    def finalize(self):
        self.pool.shutdown()
        self.session.stop_batching()
