#!/usr/bin/env python3
"""fluid_reference.py W S L P I B CREDIT: computes the makespan of a ps workload (docs/internals/test-data.md) under
max-min fair sharing, in the simplest way: every flow is separate, and all rates are recomputed at each event, in
floats. CREDIT limits the pushes, and the pulls, that a worker has in flight (0 = no limit). Shares no code with
stepsim. models_bench compares contended runs with its answers if SimGrid's are not known. ps 64 8 50 3 1 takes some
minutes."""
import heapq
import sys

RATE, LATENCY = 12.5e9, 2e-6  # bytes per second in each direction, and seconds per route


def mersenne_twister(seed):
    """The generator std::mt19937."""
    state = [seed]
    for i in range(1, 624):
        state.append((1812433253 * (state[-1] ^ (state[-1] >> 30)) + i) & 0xFFFFFFFF)
    index = 624
    while True:
        if index == 624:
            for i in range(624):
                y = (state[i] & 0x80000000) | (state[(i + 1) % 624] & 0x7FFFFFFF)
                state[i] = state[(i + 397) % 624] ^ (y >> 1) ^ (0x9908B0DF if y & 1 else 0)
            index = 0
        y = state[index]
        index += 1
        y ^= y >> 11
        y ^= (y << 7) & 0x9D2C5680
        y ^= (y << 15) & 0xEFC60000
        yield y ^ (y >> 18)


class Graph:
    def __init__(self):
        self.duration, self.flow, self.after, self.waits = [], [], [], []

    def add(self, duration, flow, before):
        task = len(self.waits)
        self.duration.append(duration)
        self.flow.append(flow)
        self.after.append([])
        self.waits.append(len(before))
        for other in before:
            self.after[other].append(task)
        return task


def parameter_server(workers, servers, layers, partitions, iterations, size, credit):
    graph, rng, pulls, last = Graph(), mersenne_twister(1), {}, [None] * workers
    pushed, pulled = [], []
    for iteration in range(iterations):
        for w in range(workers):
            for layer in range(layers):
                before = ([last[w]] if last[w] is not None else []) + pulls.get((layer, w), [])
                last[w] = graph.add((50000 + next(rng) % 5000) * 1e-9, None, before)
        backward = {}
        for w in range(workers):
            for layer in reversed(range(layers)):
                last[w] = backward[layer, w] = graph.add((100000 + next(rng) % 5000) * 1e-9, None, [last[w]])
        pulls = {}
        for layer in reversed(range(layers)):
            for p in range(partitions):
                server = workers + (layer * partitions + p) % servers
                window = lambda done, w: [done[-credit][w]] if credit and len(done) >= credit else []
                pushes = [graph.add(0, (w, server, size), [backward[layer, w]] + window(pushed, w)) for w in range(workers)]
                total = graph.add(3e-6, None, pushes)
                answers = [graph.add(0, (server, w, size), [total] + window(pulled, w)) for w in range(workers)]
                pushed.append(pushes)
                pulled.append(answers)
                for w in range(workers):
                    pulls.setdefault((layer, w), []).append(answers[w])
    return graph


def fair_rates(flows):
    """Progressive filling: repeatedly, the narrowest link fixes the rates of its flows."""
    links = {}
    for flow, (source, target) in flows.items():
        links.setdefault(("out", source), set()).add(flow)
        links.setdefault(("in", target), set()).add(flow)
    left, rates = {link: RATE for link in links}, {}
    while links:
        share = min(left[link] / len(of) for link, of in links.items())
        narrow = [link for link, of in links.items() if left[link] / len(of) <= share * (1 + 1e-12)]
        fixed = set().union(*(links[link] for link in narrow))
        for flow in fixed:
            rates[flow] = share
            for link in (("out", flows[flow][0]), ("in", flows[flow][1])):
                links[link].discard(flow)
                left[link] -= share
        links = {link: of for link, of in links.items() if of}
    return rates


def makespan(graph):
    events, flows, left, now = [], {}, {}, 0.0

    def begin(task):
        kind = "flows" if graph.flow[task] else "ends"
        heapq.heappush(events, (now + (LATENCY if graph.flow[task] else graph.duration[task]), task, kind))

    for task, waits in enumerate(graph.waits):
        if waits == 0:
            begin(task)
    rates, changed = {}, False
    while events or flows:
        if changed:
            rates, changed = fair_rates(flows), False
        ends = min((left[f] / rates[f] for f in flows), default=float("inf"))
        step = min(ends, events[0][0] - now if events else float("inf"))
        for flow in flows:
            left[flow] -= step * rates[flow]
        now += step
        done = [flow for flow in flows if left[flow] <= 1e-3]  # a thousandth of a byte
        for flow in done:
            del flows[flow], left[flow]
            changed = True
        while events and events[0][0] <= now + 1e-13:
            _, task, kind = heapq.heappop(events)
            if kind == "flows":
                flows[task], left[task], changed = graph.flow[task][:2], float(graph.flow[task][2]), True
            else:
                done.append(task)
        for task in done:
            for other in graph.after[task]:
                graph.waits[other] -= 1
                if graph.waits[other] == 0:
                    begin(other)
    return now


if __name__ == "__main__":
    if len(sys.argv) != 8:
        sys.exit(__doc__)
    print(f"{makespan(parameter_server(*map(int, sys.argv[1:]))):.6f}")
