#include <cstdio>
#include <map>
#include <string>
#include <chrono>
#include "ingest/load.h"
#include "sim/engine.h"
#include "sim/report/summary.h"
using namespace stepsim;
int main(int argc, char** argv) {
  ingest::LoadOptions o;
  std::vector<std::string> t(argv + 1, argv + argc);
  auto t0 = std::chrono::steady_clock::now();
  Capture c = ingest::load(t, o);
  auto t1 = std::chrono::steady_clock::now();
  sim::Machine m(c.dag);
  std::vector<std::pair<TaskId, Time>> org;
  Time lo = Time::max();
  for (auto x : c.recording.start) lo = std::min(lo, x);
  for (size_t i = 0; i < c.dag.task_count(); ++i) if (c.dag.in_degrees()[i] == 0) org.push_back({TaskId{i}, Time{c.recording.start[i] - lo}});
  m.set_origins(org);
  auto tl = sim::replay(c.dag, m);
  auto t2 = std::chrono::steady_clock::now();
  printf("%zu tasks %zu edges load %.3f s replay %.3f s\n", c.dag.task_count(), c.dag.edge_count(), std::chrono::duration<double>(t1 - t0).count(), std::chrono::duration<double>(t2 - t1).count());
  // per step
  std::map<int, std::pair<Time, Time>> ends;
  for (size_t i = 0; i < c.dag.task_count(); ++i) { int s = c.recording.step[i]; if (s < 0) continue; auto& e = ends[s]; e.first = std::max(e.first, Time{c.recording.finish[i] - lo}); e.second = std::max(e.second, tl.finish[i]); }
  for (size_t s = 0; s < c.recording.steps.size(); ++s) {
    auto& st = c.recording.steps[s]; if (!st.first.valid()) { printf("no first\n"); continue; }
    Time mb{c.recording.start[st.first.index()] - lo}, rb = tl.start[st.first.index()];
    Time me, re;
    if (st.next_follows) { auto n = c.recording.steps[s + 1].first; me = Time{c.recording.start[n.index()] - lo}; re = tl.start[n.index()]; } else { me = ends[int(s)].first; re = ends[int(s)].second; }
    double a = double((me - mb).count()), b = double((re - rb).count());
    printf("  rank %d step %ld measured %.3f ms replayed %.3f err %.3f%%\n", st.rank, long(st.number), a / 1e6, b / 1e6, 100 * (b / a - 1));
  }
  std::map<std::string, std::pair<double, int>> un; 
  std::map<std::string, std::pair<double,int>> bylane;
  for (auto& u : c.recording.unexplained) { auto& x = un[std::string(u.kind)]; x.first += double(u.wait.count()) / 1e6; x.second++; auto& l = bylane[std::to_string(c.dag.lane(u.task).rank) + " " + c.dag.lane(u.task).name]; l.first += double(u.wait.count())/1e6; l.second++; }
  for (auto& [k, v] : un) printf("  unexplained %s %.3f ms in %d\n", k.c_str(), v.first, v.second);
  for (auto& [k, v] : bylane) printf("     lane %s %.3f ms in %d\n", k.c_str(), v.first, v.second);
  std::vector<Recording::UnexplainedWait> big(c.recording.unexplained); std::sort(big.begin(), big.end(), [](auto& a, auto& b) { return a.wait > b.wait; });
  for (size_t i = 0; i < big.size() && i < 12; ++i) printf("     %.3f ms before %s on %s at %.3f\n", double(big[i].wait.count()) / 1e6, std::string(c.dag.name(big[i].task)).substr(0, 60).c_str(), c.dag.lane(big[i].task).name.c_str(), double((c.recording.start[big[i].task.index()] - lo).count()) / 1e6);
  for (auto& h : c.recording.clocks) printf("  clock %s %ld resid %ld\n", h.host.c_str(), long(h.offset.count()), long(h.residual.count()));
  for (auto& d : c.diagnostics.entries()) printf("  diag %s %lu %s\n", d.name.c_str(), (unsigned long)d.count, d.detail.c_str());
  for (auto& a : c.assumptions) printf("  assume %s\n", a.c_str());
  printf("  rendezvous %zu\n", c.dag.rendezvous_count());
}
