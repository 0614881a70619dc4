#include "tests/model/rewrite/transformer_job.h"

#include <string_view>
#include <utility>
#include <vector>

#include "model/job/dag_builder.h"

namespace stepsim::testing {
namespace {

using Sizes = std::vector<std::int64_t>;

class Recorder {
 public:
  explicit Recorder(const TransformerJob& job) : job_(job) {
    capture_.devices.emplace(0, "NVIDIA H100 80GB HBM3");
    capture_.recording.ranks = {0};
    capture_.recording.steps.push_back({.rank = 0, .number = 1});
    thread_ = builder_.add_lane({.name = "thread 1"});
    stream_ = builder_.add_lane({.name = "stream 7", .kind = LaneKind::kStream, .device = 0});
  }

  Capture run() && {
    forward();
    pass_ = {.in_backward = true};
    backward();
    pass_ = {.in_optimizer = true};
    if (job_.ends) call("aten::_foreach_add_", {{job_.hidden, job_.hidden}});
    capture_.recording.steps.front().first = calls_.front();
    DagBuilder::Result built = std::move(builder_).build();
    Recording sorted = capture_.recording;
    for (std::size_t i = 0; i < built.new_id.size(); ++i) {
      sorted.start[built.new_id[i].index()] = capture_.recording.start[i];
      sorted.finish[built.new_id[i].index()] = capture_.recording.finish[i];
    }
    sorted.steps.front().first = built.new_id[calls_.front().index()];
    capture_.recording = std::move(sorted);
    renumber(capture_.operators.uses, built.new_id);
    for (Gradient& gradient : capture_.gradients) gradient.ready = built.new_id[gradient.ready.index()];
    capture_.dag = std::move(built.dag);
    return std::move(capture_);
  }

 private:
  struct Of {
    bool in_optimizer = false;
    bool in_backward = false;
  };

  [[nodiscard]] Sizes whole() const { return {job_.batch, job_.sequence, job_.hidden}; }
  [[nodiscard]] Sizes wide() const { return {job_.batch, job_.sequence, 4 * job_.hidden}; }
  [[nodiscard]] Sizes scores() const { return {job_.batch, job_.heads, job_.sequence, job_.sequence}; }
  [[nodiscard]] Sizes queries() const { return {job_.batch * job_.heads, job_.sequence, job_.hidden / job_.heads}; }
  [[nodiscard]] Sizes keys() const { return {job_.batch * job_.heads, job_.hidden / job_.heads, job_.sequence}; }
  [[nodiscard]] Sizes weights() const { return {job_.batch * job_.heads, job_.sequence, job_.sequence}; }

  /// Columns of the layer that computes queries, keys and values.
  [[nodiscard]] std::int64_t mixed() const {
    return (job_.heads + 2 * (job_.key_heads > 0 ? job_.key_heads : job_.heads)) * (job_.hidden / job_.heads);
  }
  /// Each token goes to one expert, and each expert has the same number of tokens.
  [[nodiscard]] Sizes of_experts(std::int64_t columns) const {
    return {job_.experts, job_.tokens() / job_.experts, columns};
  }

  void linear(std::int64_t from, std::int64_t to) { call("aten::addmm", {{to}, {job_.tokens(), from}, {from, to}}); }

  void drop_out(const Sizes& sizes) {
    if (job_.dropout) call("aten::native_dropout", {sizes, {}, {}});
  }

  void forward() {
    const std::int64_t h = job_.hidden;
    if (job_.ends) {
      call("aten::embedding", {{job_.vocabulary, h}, {job_.batch, job_.sequence}});
      call("aten::embedding", {{job_.sequence, h}, {1, job_.sequence}});
    }
    for (std::size_t layer = 0; layer < job_.layers; ++layer) {
      call("aten::native_layer_norm", {whole(), {}, {h}, {h}});
      linear(h, mixed());
      call("aten::bmm", {queries(), keys()});
      call("aten::_softmax", {scores()});
      drop_out(scores());
      call("aten::bmm", {weights(), queries()});
      linear(h, h);
      drop_out(whole());
      call("aten::add", {whole(), whole()});
      call("aten::native_layer_norm", {whole(), {}, {h}, {h}});
      if (job_.experts > 0) {
        call("aten::mm", {{job_.tokens(), h}, {h, job_.experts}});
        call("aten::bmm", {of_experts(h), {job_.experts, h, 4 * h}});
        call("aten::gelu", {of_experts(4 * h)});
        call("aten::bmm", {of_experts(4 * h), {job_.experts, 4 * h, h}});
      } else {
        linear(h, 4 * h);
        call("aten::gelu", {wide()});
        linear(4 * h, h);
      }
      drop_out(whole());
      call("aten::add", {whole(), whole()});
    }
    if (!job_.ends) return;
    call("aten::native_layer_norm", {whole(), {}, {h}, {h}});
    call("aten::mm", {{job_.tokens(), h}, {h, job_.vocabulary}});
    if (!job_.loss) return;
    call("aten::_to_copy", {{job_.tokens(), job_.vocabulary}});
    for (const std::string_view name : {"aten::copy_", "aten::_log_softmax"})
      call(name, {{job_.tokens(), job_.vocabulary}}, 4);
  }

  /// The gradients of a linear layer's input and weight, which is then accumulated.
  void linear_backward(std::int64_t from, std::int64_t to) {
    call("aten::mm", {{job_.tokens(), to}, {to, from}});
    call("aten::mm", {{to, job_.tokens()}, {job_.tokens(), from}});
    accumulate({to, from});
  }

  void experts_backward(std::int64_t from, std::int64_t to) {
    const std::int64_t tokens = job_.tokens() / job_.experts;
    call("aten::bmm", {of_experts(to), {job_.experts, to, from}});
    call("aten::bmm", {{job_.experts, from, tokens}, of_experts(to)});
    accumulate({job_.experts, from, to});
  }

  void accumulate(const Sizes& sizes) {
    call("aten::add_", {sizes, sizes});
    std::int64_t elements = 1;
    for (const std::int64_t size : sizes) elements *= size;
    capture_.gradients.push_back({calls_.back(), Bytes{job_.element_bytes * elements}});
  }

  void backward() {
    const std::int64_t h = job_.hidden;
    if (job_.ends) {
      linear_backward(h, job_.vocabulary);
      call("aten::native_layer_norm_backward", {whole(), whole()});
    }
    for (std::size_t layer = 0; layer < job_.layers; ++layer) {
      if (job_.experts > 0) {
        experts_backward(4 * h, h);
        call("aten::gelu_backward", {of_experts(4 * h), of_experts(4 * h)});
        experts_backward(h, 4 * h);
        linear_backward(h, job_.experts);
      } else {
        linear_backward(4 * h, h);
        call("aten::gelu_backward", {wide(), wide()});
        linear_backward(h, 4 * h);
      }
      call("aten::native_layer_norm_backward", {whole(), whole()});
      linear_backward(h, h);
      call("aten::bmm", {weights(), queries()});
      call("aten::bmm", {queries(), keys()});
      call("aten::_softmax_backward_data", {scores(), scores()});
      call("aten::bmm", {keys(), weights()});
      call("aten::bmm", {weights(), queries()});
      linear_backward(h, mixed());
      call("aten::native_layer_norm_backward", {whole(), whole()});
      call("aten::add", {whole(), whole()});
      call("aten::sum", {whole()});
    }
    if (!job_.ends) return;
    call("aten::embedding_dense_backward", {whole()});
    accumulate({job_.vocabulary, h});
  }

  void call(std::string_view name, const std::vector<Sizes>& shapes) { call(name, shapes, job_.element_bytes); }
  void call(std::string_view name, const std::vector<Sizes>& shapes, std::int64_t element_bytes) {
    OperatorTable& table = capture_.operators;
    std::vector<TensorShape> inputs;
    inputs.reserve(shapes.size());
    for (const Sizes& sizes : shapes)
      inputs.push_back({.sizes = sizes, .element_bytes = element_bytes, .element = ElementKind::kFloat});
    const TaskId call = add(TaskKind::kRuntime, "cudaLaunchKernel", thread_, now_, job_.call);
    now_ += job_.call + Duration{1};
    const Time begin = std::max(now_, free_);
    const TaskId kernel = add(TaskKind::kKernel, name, stream_, begin, job_.kernel);
    free_ = begin + job_.kernel;
    if (!calls_.empty()) builder_.add_edge(calls_.back(), call, EdgeKind::kProgram);
    if (last_.valid()) builder_.add_edge(last_, kernel, EdgeKind::kStream);
    builder_.add_edge(call, kernel, EdgeKind::kLaunch);
    calls_.push_back(call);
    last_ = kernel;
    table.uses.push_back(
        {kernel, which(name, std::move(inputs)), table.occurrences++, pass_.in_optimizer, pass_.in_backward});
  }

  /// Returns the entry of an operator with these inputs.
  std::uint32_t which(std::string_view name, std::vector<TensorShape> inputs) {
    std::vector<OperatorTable::Operator>& operators = capture_.operators.operators;
    const auto same = [&](const OperatorTable::Operator& one) {
      if (one.name != name || one.inputs.size() != inputs.size()) return false;
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (one.inputs[i].sizes != inputs[i].sizes || one.inputs[i].element_bytes != inputs[i].element_bytes)
          return false;
      }
      return true;
    };
    for (std::size_t i = 0; i < operators.size(); ++i) {
      if (same(operators[i])) return static_cast<std::uint32_t>(i);
    }
    const Work work = work_of({.name = name, .inputs = inputs, .stride = {}, .padding = {}, .dilation = {}});
    operators.push_back({std::string(name), "", work, std::move(inputs)});
    return static_cast<std::uint32_t>(operators.size() - 1);
  }

  TaskId add(TaskKind kind, std::string_view name, LaneId lane, Time start, Duration duration) {
    capture_.recording.start.push_back(start);
    capture_.recording.finish.push_back(start + duration);
    capture_.recording.step.push_back(0);
    return builder_.add_task(
        {.kind = kind, .name = builder_.intern(name), .lane = lane, .duration = duration, .hint = start});
  }

  const TransformerJob& job_;
  Capture capture_;
  DagBuilder builder_;
  LaneId thread_;
  LaneId stream_;
  std::vector<TaskId> calls_;
  TaskId last_;
  Of pass_;
  Time now_;   // of the thread
  Time free_;  // of the stream
};

}  // namespace

Capture TransformerJob::capture() const { return Recorder(*this).run(); }

}  // namespace stepsim::testing
