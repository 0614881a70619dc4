#!/usr/bin/env python3
"""transformer_trace.py FILE: writes a trace of one training step of a transformer on one GPU, in the form in which
PyTorch's profiler records it with record_shapes=True. It is made up: kernels take what their shapes say, and the CPU
2 us for each call. scenarios/samples/transformer has what this writes."""
import gzip
import json
import sys

LAYERS, HIDDEN, HEADS, BATCH, SEQUENCE, VOCABULARY = 8, 1024, 16, 4, 512, 8192
TOKENS = BATCH * SEQUENCE
FLOPS, BYTES = 15e6, 1.3e6  # per microsecond: of products in fp32, of passes over memory
GEMM, PASS = "ampere_sgemm_128x64_tn", "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>"


def elements(sizes):
    count = 1
    for size in sizes:
        count *= size
    return count


class Trace:
    def __init__(self):
        self.events, self.host, self.device, self.calls = [], 100, 0, 0

    def add(self, category, name, thread, begin, length, **arguments):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": 1, "tid": thread, "ts": round(begin, 3), "dur": round(length, 3), "args": arguments})

    def call(self, name, *shapes, flops=0):
        """A call of an operator that launches one kernel."""
        self.calls += 1
        self.add("cpu_op", name, 1, self.host, 2, **{"External id": self.calls, "Input Dims": shapes, "Input type": ["float"] * len(shapes)})
        self.add("cuda_runtime", "cudaLaunchKernel", 1, self.host + 0.5, 1, **{"External id": self.calls, "correlation": self.calls})
        length = flops / FLOPS if flops else 3 + 4 * sum(map(elements, shapes)) / BYTES
        begin = max(self.device, self.host + 1)
        self.add("kernel", GEMM if flops else PASS, 7, begin, length, **{"External id": self.calls, "correlation": self.calls, "device": 0, "stream": 7})
        self.device, self.host = begin + length, self.host + 2.5

    def node(self, name, work):
        """A node of the backward pass, with the calls that `work` makes."""
        begin = self.host
        self.host += 0.2
        work()
        for place, label in enumerate((f"autograd::engine::evaluate_function: {name}", name)):
            self.calls += 1
            self.add("cpu_op", label, 1, begin + 0.1 * place, self.host - begin - 0.2 * place, **{"External id": self.calls, "Input Dims": [], "Input type": []})
        self.host += 0.5

    def linear(self, inner, columns):
        self.call("aten::addmm", [columns], [TOKENS, inner], [inner, columns], flops=2 * TOKENS * inner * columns)

    def linear_backward(self, inner, columns):
        flops = 2 * TOKENS * inner * columns

        def products():
            self.call("aten::mm", [TOKENS, columns], [columns, inner], flops=flops)
            self.call("aten::mm", [columns, TOKENS], [TOKENS, inner], flops=flops)
        self.node("AddmmBackward0", products)
        self.accumulate(columns, inner)

    def accumulate(self, *sizes):
        self.node("torch::autograd::AccumulateGrad", lambda: self.call("aten::add_", sizes, sizes))

    def batched(self, *shapes):
        self.call("aten::bmm", *shapes, flops=2 * elements(shapes[0]) * shapes[1][2])


WHOLE, WIDE = [BATCH, SEQUENCE, HIDDEN], [BATCH, SEQUENCE, 4 * HIDDEN]
SCORES = [BATCH, HEADS, SEQUENCE, SEQUENCE]
QUERIES, KEYS = [BATCH * HEADS, SEQUENCE, HIDDEN // HEADS], [BATCH * HEADS, HIDDEN // HEADS, SEQUENCE]
WEIGHTS = [BATCH * HEADS, SEQUENCE, SEQUENCE]


def forward(trace):
    trace.call("aten::embedding", [VOCABULARY, HIDDEN], [BATCH, SEQUENCE])
    for _ in range(LAYERS):
        trace.call("aten::native_layer_norm", WHOLE, [], [HIDDEN], [HIDDEN])
        trace.linear(HIDDEN, 3 * HIDDEN)
        trace.batched(QUERIES, KEYS)
        trace.call("aten::_softmax", SCORES)
        trace.batched(WEIGHTS, QUERIES)
        trace.linear(HIDDEN, HIDDEN)
        trace.call("aten::add", WHOLE, WHOLE)
        trace.call("aten::native_layer_norm", WHOLE, [], [HIDDEN], [HIDDEN])
        trace.linear(HIDDEN, 4 * HIDDEN)
        trace.call("aten::gelu", WIDE)
        trace.linear(4 * HIDDEN, HIDDEN)
        trace.call("aten::add", WHOLE, WHOLE)
    trace.call("aten::native_layer_norm", WHOLE, [], [HIDDEN], [HIDDEN])
    trace.call("aten::mm", [TOKENS, HIDDEN], [HIDDEN, VOCABULARY], flops=2 * TOKENS * HIDDEN * VOCABULARY)


def attention_backward(trace):
    for shapes in ((WEIGHTS, QUERIES), (QUERIES, KEYS)):
        trace.node("BmmBackward0", lambda shapes=shapes: trace.batched(*shapes))
    trace.node("SoftmaxBackward0", lambda: trace.call("aten::_softmax_backward_data", SCORES, SCORES))
    for shapes in ((KEYS, WEIGHTS), (WEIGHTS, QUERIES)):
        trace.node("BmmBackward0", lambda shapes=shapes: trace.batched(*shapes))


def backward(trace):
    def norm():
        trace.node("NativeLayerNormBackward0", lambda: trace.call("aten::native_layer_norm_backward", WHOLE, WHOLE))
    trace.linear_backward(HIDDEN, VOCABULARY)
    norm()
    for _ in range(LAYERS):
        trace.linear_backward(4 * HIDDEN, HIDDEN)
        trace.node("GeluBackward0", lambda: trace.call("aten::gelu_backward", WIDE, WIDE))
        trace.linear_backward(HIDDEN, 4 * HIDDEN)
        norm()
        trace.linear_backward(HIDDEN, HIDDEN)
        attention_backward(trace)
        trace.linear_backward(HIDDEN, 3 * HIDDEN)
        norm()
    trace.node("EmbeddingBackward0", lambda: trace.call("aten::embedding_dense_backward", WHOLE))
    trace.accumulate(VOCABULARY, HIDDEN)


def optimizer(trace):
    begin = trace.host
    for rows in (3, 1, 4, 4):
        trace.call("aten::_foreach_add_", [LAYERS * rows * HIDDEN, HIDDEN], [LAYERS * rows * HIDDEN, HIDDEN])
    trace.add("user_annotation", "Optimizer.step#AdamW.step", 1, begin - 0.2, trace.host - begin)


def synchronize(trace):
    """The CPU waits for the GPU."""
    trace.calls += 1
    trace.add("cuda_runtime", "cudaDeviceSynchronize", 1, trace.host, trace.device - trace.host + 1, correlation=trace.calls)
    trace.host = trace.device + 2


trace = Trace()
forward(trace)
backward(trace)
optimizer(trace)
synchronize(trace)
trace.add("user_annotation", "ProfilerStep#1", 1, 99, trace.host - 99)
content = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-80GB"}], "traceEvents": sorted(trace.events, key=lambda event: event["ts"])}
with open(sys.argv[1], "wb") as file:
    file.write(gzip.compress(json.dumps(content, separators=(",", ":")).encode(), 9, mtime=0))
