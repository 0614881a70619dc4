"""Classes of the objects in answers: docs/generate.py makes them from `stepsim --json-schema`.

A class is named after the result and the members that lead to it: what_if().scenario.interval is a list of
WhatIfScenarioInterval. Objects with the same members have one class, named after the first of them. An absent member
raises AttributeError. A member whose name is a keyword of Python is an item only: row["class"].
"""

from typing import Any

from stepsim.result import Fields, Records

class Replay(Fields[Any]):
    schema: str
    tasks: int
    edges: int
    ranks: Records[int]
    capture: ReplayCapture
    steps: Records[ReplayStep]
    set_aside: Records[ReplaySetAside]
    iteration: ReplayIteration
    in_the_long_run: ReplayInTheLongRun  # may be absent
    trust: ReplayTrust  # may be absent
    network: ReplayNetwork
    throughput: ReplayThroughput | None
    profiler: ReplayProfiler | None
    breakdown: Records[ReplayBreakdown]
    rank_classes: Records[ReplayRankClass]  # may be absent
    iteration_parts: ReplayIterationParts
    unexplained_wait_ns: int
    unexplained: Records[ReplayUnexplained]
    pauses: Records[ReplayPause]  # may be absent
    critical_path: ReplayCriticalPath
    longest_step_path: ReplayCriticalPath  # may be absent
    stragglers: Records[ReplayStraggler]
    slow_ranks: ReplaySlowRanks  # may be absent
    clock: ReplayClock
    interference: Records[ReplayInterference]
    ingest: ReplayIngest
    assumptions: Records[str]
    tasks_detail: Records[ReplayTasksDetail]  # may be absent
    provenance: ReplayProvenance

class ReplayCapture(Fields[Any]):
    steps_marked: bool
    parameter_servers: bool
    device_work: bool
    devices: Records[str]
    verdict: str
    warning: str
    caution: str
    evidence: str
    findings: str
    loss: str

class ReplayStep(Fields[Any]):
    rank: int
    step: int
    measured_ns: int | None
    replayed_ns: int
    error: float | None
    held_out_error: float | None

class ReplaySetAside(Fields[Any]):
    rank: int
    step: int

class ReplayIteration(Fields[Any]):
    measured_ns: int | None
    replayed_ns: int
    mean_ns: int | None
    pace: str | None
    error: float | None
    mean_abs_error: float | None
    worst_abs_error: float | None

class ReplayInTheLongRun(Fields[Any]):
    iteration_ns: int
    limited_by: Records[ReplayInTheLongRunLimitedBy]

class ReplayInTheLongRunLimitedBy(Fields[Any]):
    rank: int | None
    of: str
    time_ns: int

class ReplayTrust(Fields[Any]):
    perturbation: ReplayTrustPerturbation | None
    path_unexplained_ns: int
    path_silent_ns: int
    path_paused_ns: int
    path_hand_overs: int
    path_inferred_hand_overs: int

class ReplayTrustPerturbation(Fields[Any]):
    of: str
    steps: int
    mean_abs_error: float | None
    worst_abs_error: float | None
    mean_abs_difference: float | None

class ReplayNetwork(Fields[Any]):
    model: str
    fits: Records[ReplayNetworkFit]

class ReplayNetworkFit(Fields[Any]):
    what: str
    value: str
    samples: int
    residual: float | None
    # ["from"]: str

class ReplayThroughput(Fields[Any]):
    unit: str
    in_all: float | None
    per_device: float | None
    workers: int
    devices: int
    efficiency: float | None  # may be absent

class ReplayProfiler(Fields[Any]):
    recorded_ns: int
    free_ns: int
    shortest_step_ns: int
    slowing: float | None

class ReplayBreakdown(Fields[Any]):
    rank: int
    iteration_ns: int
    compute_ns: int
    communication_ns: int
    exposed_communication_ns: int
    copies_ns: int
    collective_wait_ns: int
    loader_ns: int | None  # may be absent
    host_ns: int
    other_steps_ns: int | None  # may be absent
    idle_ns: int
    device_busy_ns: int
    overlap: float | None
    exposed_copies_ns: int
    exposed_collective_wait_ns: int
    exposed_loader_ns: int | None  # may be absent
    unexplained_ns: int

class ReplayRankClass(Fields[Any]):
    ranks: int
    rank: int
    iteration_ns: int
    compute_ns: int
    communication_ns: int
    exposed_communication_ns: int
    copies_ns: int
    collective_wait_ns: int
    loader_ns: int | None  # may be absent
    host_ns: int
    other_steps_ns: int | None  # may be absent
    idle_ns: int
    device_busy_ns: int
    overlap: float | None
    exposed_copies_ns: int
    exposed_collective_wait_ns: int
    exposed_loader_ns: int | None  # may be absent

class ReplayIterationParts(Fields[Any]):
    rank: int
    compute_ns: int
    communication_ns: int
    copies_ns: int
    collective_wait_ns: int
    loader_ns: int | None  # may be absent
    host_ns: int
    other_steps_ns: int | None  # may be absent
    idle_ns: int

class ReplayUnexplained(Fields[Any]):
    kind: str
    wait_ns: int
    count: int

class ReplayPause(Fields[Any]):
    rank: int
    count: int
    paused_ns: int
    recorded_ns: int

class ReplayCriticalPath(Fields[Any]):
    of: str
    length_ns: int
    classes: ReplayCriticalPathClasses
    unexplained_ns: int

class ReplayCriticalPathClasses(Fields[Any]):
    compute: int
    communication: int
    copy: int
    host: int
    queueing: int
    wait: int
    loader: int | None  # may be absent

class ReplayStraggler(Fields[Any]):
    rank: int
    others_waited_ns: int
    last_in: int
    collectives: int

class ReplaySlowRanks(Fields[Any]):
    replayed_ns: int
    ideal_ns: int
    ranks: Records[ReplaySlowRanksRank]
    data_ranks: Records[ReplaySlowRanksDataRank]  # may be absent
    stages: Records[ReplaySlowRanksStage]  # may be absent
    steps: Records[ReplaySlowRanksStep]

class ReplaySlowRanksRank(Fields[Any]):
    rank: int
    data_rank: int | None  # may be absent
    stage: int | None  # may be absent
    slowdown: float | None
    saves_ns: int

class ReplaySlowRanksDataRank(Fields[Any]):
    data_rank: int
    slowdown: float | None
    saves_ns: int

class ReplaySlowRanksStage(Fields[Any]):
    stage: int
    slowdown: float | None
    saves_ns: int

class ReplaySlowRanksStep(Fields[Any]):
    step: int
    replayed_ns: int
    ideal_ns: int
    rank: int | None
    rank_slowdown: float | None
    data_rank: int | None  # may be absent
    data_rank_slowdown: float | None  # may be absent
    stage: int | None  # may be absent
    stage_slowdown: float | None  # may be absent

class ReplayClock(Fields[Any]):
    hosts: Records[ReplayClockHost]

class ReplayClockHost(Fields[Any]):
    host: str
    offset_ns: int
    residual_ns: int
    slope: float | None
    spread_ns: int

class ReplayInterference(Fields[Any]):
    rank: int
    # ["class"]: str
    kernels: int
    factor: float | None
    low: float | None
    high: float | None

class ReplayIngest(Fields[Any]):
    events: int
    skipped: int
    diagnostics: Records[ReplayIngestDiagnostic]

class ReplayIngestDiagnostic(Fields[Any]):
    name: str
    count: int
    severity: str
    remedy: str
    detail: str
    first: str

class ReplayTasksDetail(Fields[Any]):
    id: int
    start_ns: int
    finish_ns: int

class ReplayProvenance(Fields[Any]):
    version: str
    commit: str
    command: str
    inputs: Records[ReplayProvenanceInput]

class ReplayProvenanceInput(Fields[Any]):
    path: str
    bytes: int
    crc64: str

class WhatIf(Fields[Any]):
    schema: str
    capture: ReplayCapture
    measured: WhatIfMeasured
    baseline: WhatIfBaseline
    scenario: WhatIfScenario
    changes: Records[str]
    selections: Records[WhatIfSelection]
    why: Records[str]
    throughput: WhatIfThroughput
    memory: WhatIfMemory | None
    why_no_memory: str | None  # may be absent
    rank_classes: Records[ReplayRankClass]  # may be absent
    why_each_rank: str  # may be absent
    links: Records[WhatIfLink]
    device_work: Records[WhatIfDeviceWork]
    interference: Records[WhatIfInterference]
    interference_unsettled: float | None
    network: ReplayNetwork
    assumptions: Records[str]
    ingest: ReplayIngest
    provenance: ReplayProvenance

class WhatIfMeasured(Fields[Any]):
    iteration_ns: int | None

class WhatIfBaseline(Fields[Any]):
    iteration_ns: int
    as_captured_ns: int
    error: float | None
    of_captured_steps_ns: int
    in_the_long_run_ns: int
    limited_by: Records[ReplayInTheLongRunLimitedBy]
    breakdown: WhatIfBaselineBreakdown
    iteration_parts: ReplayIterationParts
    critical_path: WhatIfBaselineCriticalPath

class WhatIfBaselineBreakdown(Fields[Any]):
    rank: int
    iteration_ns: int
    compute_ns: int
    communication_ns: int
    exposed_communication_ns: int
    copies_ns: int
    collective_wait_ns: int
    loader_ns: int | None  # may be absent
    host_ns: int
    other_steps_ns: int | None  # may be absent
    idle_ns: int
    device_busy_ns: int
    overlap: float | None
    exposed_copies_ns: int
    exposed_collective_wait_ns: int
    exposed_loader_ns: int | None  # may be absent

class WhatIfBaselineCriticalPath(Fields[Any]):
    of: str
    length_ns: int
    compute_ns: int
    communication_ns: int
    copy_ns: int
    host_ns: int
    queueing_ns: int
    wait_ns: int
    loader_ns: int | None  # may be absent

class WhatIfScenario(Fields[Any]):
    name: str
    iteration_ns: int
    low_ns: int
    high_ns: int
    range_factor: float | None
    sources_low_ns: int
    sources_high_ns: int
    by_data_sheet_ns: int | None  # may be absent
    interval: Records[WhatIfScenarioInterval]
    change: float | None
    low_change: float | None
    high_change: float | None
    mean_effect: WhatIfScenarioMeanEffect  # may be absent
    of_captured_steps_ns: int
    in_the_long_run_ns: int
    limited_by: Records[ReplayInTheLongRunLimitedBy]
    breakdown: WhatIfBaselineBreakdown
    iteration_parts: ReplayIterationParts
    critical_path: WhatIfBaselineCriticalPath

class WhatIfScenarioInterval(Fields[Any]):
    source: str
    low_ns: int
    high_ns: int
    reason: str

class WhatIfScenarioMeanEffect(Fields[Any]):
    change: float | None
    low_change: float | None
    high_change: float | None

class WhatIfSelection(Fields[Any]):
    change: str
    parts: Records[WhatIfSelectionPart]
    hint: str

class WhatIfSelectionPart(Fields[Any]):
    of: str
    tasks: int
    time_ns: int
    all_ns: int

class WhatIfThroughput(Fields[Any]):
    baseline: ReplayThroughput
    scenario: ReplayThroughput

class WhatIfMemory(Fields[Any]):
    rank: int
    device: str
    peak_bytes: int
    low_bytes: int
    high_bytes: int
    range_factor: float | None
    capacity_bytes: int | None
    parameters_bytes: int | None
    gradients_bytes: int | None
    optimizer_bytes: int | None
    activations_bytes: int | None
    working_bytes: int | None
    fits: str | None

class WhatIfLink(Fields[Any]):
    link: str
    baseline_busy: float | None
    scenario_busy: float | None
    baseline_queueing_ns: int
    scenario_queueing_ns: int

class WhatIfDeviceWork(Fields[Any]):
    change: str
    kept: str
    scaled_by: Records[WhatIfDeviceWorkScaledBy]
    classes: Records[WhatIfDeviceWorkScaledBy]

class WhatIfDeviceWorkScaledBy(Fields[Any]):
    name: str
    pieces: int
    share: float | None
    before_ns: int
    after_ns: int

class WhatIfInterference(Fields[Any]):
    # ["class"]: str
    compared: int
    factor: float | None
    low: float | None
    high: float | None
    kernels: int
    before_ns: int
    after_ns: int

class Sweep(Fields[Any]):
    schema: str
    name: str
    capture: SweepCapture
    baseline: SweepBaseline
    best: SweepBest
    knees: Records[SweepKnee]
    points: Records[SweepBest]
    changes: Records[str]
    network: SweepNetwork
    assumptions: Records[str]
    provenance: ReplayProvenance

class SweepCapture(Fields[Any]):
    verdict: str
    warning: str
    caution: str
    evidence: str
    findings: str

class SweepBaseline(Fields[Any]):
    iteration_ns: int
    as_captured_ns: int
    measured_ns: int | None
    error: float | None
    throughput: ReplayThroughput

class SweepBest(Fields[Any]):
    set: Fields[str]
    iteration_ns: int | None
    low_ns: int | None
    high_ns: int | None
    change: float | None
    by_data_sheet_ns: int | None  # may be absent
    throughput: ReplayThroughput  # may be absent
    memory: WhatIfMemory  # may be absent
    note: str | None  # may be absent
    problem: str | None  # may be absent
    cannot_answer: bool | None  # may be absent

class SweepKnee(Fields[Any]):
    key: str
    value: str
    # ["from"]: str
    to: str
    flat: str

class SweepNetwork(Fields[Any]):
    model: str

class Plan(Fields[Any]):
    schema: str
    name: str
    capture: SweepCapture
    baseline: SweepBaseline
    global_batches: float | None
    best: PlanBest | None
    plans: Records[PlanBest]
    by_devices: Records[PlanBest]
    front: Records[PlanBest]
    tried: PlanTried
    refusals: Records[PlanRefusal]
    why_no_memory: str | None  # may be absent
    not_tried: Records[str]
    changes: Records[str]
    network: SweepNetwork
    assumptions: Records[str]
    provenance: ReplayProvenance

class PlanBest(Fields[Any]):
    set: Fields[str]
    devices: int
    iteration_ns: int
    low_ns: int
    high_ns: int
    by_data_sheet_ns: int | None  # may be absent
    tie: bool
    throughput: ReplayThroughput
    memory: WhatIfMemory  # may be absent
    parts: PlanBestParts
    bottleneck: str
    note: str | None  # may be absent

class PlanBestParts(Fields[Any]):
    compute_ns: int
    tensor_parallel_ns: int
    pipeline_parallel_ns: int
    data_parallel_ns: int
    bubble_ns: int

class PlanTried(Fields[Any]):
    plans: int
    simulated: int
    cannot_be_faster: int
    do_not_fit: int
    refused: int

class PlanRefusal(Fields[Any]):
    problem: str
    plans: int

class Graph(Fields[Any]):
    schema: str
    of: str
    fold: str
    ranks_apart: bool
    tasks: int
    dependencies: int
    inner_dependencies: int
    tasks_left_out: int
    critical_path_ns: int
    nodes: Records[GraphNode]
    edges: Records[GraphEdge]
    provenance: ReplayProvenance

class GraphNode(Fields[Any]):
    id: int
    name: str
    rank: int | None
    # ["class"]: str
    tasks: int
    time_ns: int
    critical: bool
    on_path_ns: int

class GraphEdge(Fields[Any]):
    # ["from"]: int
    to: int
    edges: int
    link: str
    critical: bool

class Collectives(Fields[Any]):
    schema: str
    inputs: Records[CollectivesInput]
    provenance: ReplayProvenance

class CollectivesInput(Fields[Any]):
    name: str
    expected_from: str
    of_expected: float | None
    warning: str
    rows: Records[CollectivesInputRow]
    compared_groups: int
    slow: Records[CollectivesInputSlow]

class CollectivesInputRow(Fields[Any]):
    group: str
    group_name: str  # may be absent
    ranks: int
    hosts: int | None
    all_captured: bool
    operation: str
    bytes: int | None
    count: int
    time_ns: int
    median_time_ns: int
    min_time_ns: int
    max_time_ns: int
    total_time_ns: int
    algbw_bytes_per_second: float | None
    busbw_bytes_per_second: float | None
    overlapped: int
    expected_ns: int | None
    longest_expected_ns: int | None
    of_expected: float | None
    not_expected: str  # may be absent
    skew_ns: int | None
    max_skew_ns: int | None
    last_rank: int | None
    last_in: int

class CollectivesInputSlow(Fields[Any]):
    rank: int | None
    host: str
    groups: Records[CollectivesInputSlowGroup]

class CollectivesInputSlowGroup(Fields[Any]):
    group: str
    factor: float | None
    slow: int
    transfers: int
    siblings: int

class Stats(Fields[Any]):
    schema: str
    inputs: Records[StatsInput]
    provenance: ReplayProvenance

class StatsInput(Fields[Any]):
    name: str
    by: str
    selection: str  # may be absent
    pieces: int
    ranks: int
    measured: bool
    whole_steps: int
    steps: str
    only_steps: bool
    totals: StatsInputTotals
    warning: str
    rows: Records[StatsInputRow]
    devices: Records[StatsInputDevice]
    stages: Records[StatsInputStage]
    streams: Records[StatsInputStream]
    launches: Records[StatsInputLaunch]
    copies: Records[StatsInputCopy]
    sequences: Records[StatsInputSequence]
    device_occupancy: Records[StatsInputDeviceOccupancy]
    kernel_occupancy: Records[StatsInputKernelOccupancy]
    flops: Records[StatsInputFlop]
    mfu: float | None  # may be absent
    memory: Records[StatsInputMemory]
    modules: Records[StatsInputModule]
    stacks: Records[StatsInputStack]
    transfers: Records[StatsInputTransfer]
    overhead: Records[StatsInputOverhead]

class StatsInputTotals(Fields[Any]):
    compute_ns: int
    communication_ns: int
    copy_ns: int
    host_ns: int
    loader_ns: int | None  # may be absent

class StatsInputRow(Fields[Any]):
    name: str
    kind: str  # may be absent
    part: str | None  # may be absent
    count: int
    total_ns: int
    min_ns: int
    max_ns: int
    mean_ns: float | None
    median_ns: int
    deviation_ns: float | None
    self_ns: int
    share: float | None
    per_step_ns: int | None

class StatsInputDevice(Fields[Any]):
    rank: int
    device: int | None
    pieces: int
    begin_ns: int
    span_ns: int
    compute_ns: int
    exposed_communication_ns: int
    hidden_communication_ns: int
    exposed_copies_ns: int
    hidden_copies_ns: int
    idle_ns: int
    streams: Records[StatsInputDeviceStream]

class StatsInputDeviceStream(Fields[Any]):
    name: str
    pieces: int
    compute_ns: int
    exposed_communication_ns: int
    hidden_communication_ns: int
    exposed_copies_ns: int
    hidden_copies_ns: int
    idle_ns: int

class StatsInputStage(Fields[Any]):
    stage: str
    queued: StatsInputStageQueued
    worked: StatsInputStageQueued
    in_line: StatsInputStageQueued
    waiting: StatsInputStageQueued  # may be absent

class StatsInputStageQueued(Fields[Any]):
    count: int
    total_ns: int
    min_ns: int
    max_ns: int
    mean_ns: float | None
    median_ns: int
    deviation_ns: float | None

class StatsInputStream(Fields[Any]):
    rank: int
    device: int
    stream: str
    launches: int
    mean_queue: float | None
    longest_queue: int
    longest_ns: int
    full_ns: int
    host_wait_ns: int
    kernel_wait_ns: int
    other_wait_ns: int
    outside_ns: int
    curve: Records[StatsInputStreamCurve]

class StatsInputStreamCurve(Fields[Any]):
    time_ns: int
    queue: int

class StatsInputLaunch(Fields[Any]):
    name: str
    short: int
    call: StatsInputStageQueued
    delay: StatsInputStageQueued
    work: StatsInputStageQueued

class StatsInputCopy(Fields[Any]):
    rank: int
    name: str
    count: int
    total_bytes: int
    min_bytes: int
    median_bytes: int
    max_bytes: int
    time_ns: int
    bytes_per_second: float | None
    highest_bytes_per_second: float | None
    curve: Records[StatsInputCopyCurve]

class StatsInputCopyCurve(Fields[Any]):
    time_ns: int
    bytes_per_second: float | None

class StatsInputSequence(Fields[Any]):
    name: str
    calls: int
    device_ns: int
    host_ns: int
    kernels: Records[str]

class StatsInputDeviceOccupancy(Fields[Any]):
    rank: int
    device: int
    name: str
    time_ns: int
    occupancy: float | None
    efficiency: float | None
    matrix_share: float | None

class StatsInputKernelOccupancy(Fields[Any]):
    name: str
    count: int
    time_ns: int
    blocks: float | None
    warps: float | None
    occupancy: float | None

class StatsInputFlop(Fields[Any]):
    name: str
    on: str
    calls: int
    flops: float | None
    time_ns: int
    flops_per_second: float | None
    of_peak: float | None

class StatsInputMemory(Fields[Any]):
    rank: int
    device: str
    allocations: int
    releases: int
    allocated_bytes: int
    peak_bytes: int
    peak_ns: int
    most_reserved_bytes: int
    first_bytes: int
    last_bytes: int
    curve: Records[StatsInputMemoryCurve]

class StatsInputMemoryCurve(Fields[Any]):
    time_ns: int
    allocated_bytes: int
    reserved_bytes: int

class StatsInputModule(Fields[Any]):
    name: str
    calls: int
    host_ns: int
    host_self_ns: int
    device_ns: int
    flops: float | None

class StatsInputStack(Fields[Any]):
    name: str
    rank: int
    parent: int | None
    module: int | None
    calls: int
    total_ns: int
    self_ns: int

class StatsInputTransfer(Fields[Any]):
    rank: int
    group: str
    operation: str
    algorithm: str
    protocol: str
    count: int
    bytes: int
    channels: int
    channel_ns: int
    sent: StatsInputTransferSent
    received: StatsInputTransferSent

class StatsInputTransferSent(Fields[Any]):
    pieces: int
    bytes: int
    device_wait_ns: int
    peer_wait_ns: int
    network_ns: int

class StatsInputOverhead(Fields[Any]):
    rank: int
    kind: str
    of: str
    count: int
    total_ns: int
    by_clock_ns: int
    longest_ns: int

class CriticalPath(Fields[Any]):
    schema: str
    capture: ReplayCapture
    of: str
    length_ns: int
    classes: ReplayCriticalPathClasses
    unexplained_ns: int
    tasks: Records[CriticalPathTask]
    gpus: Records[CriticalPathGpu]
    workers: Records[CriticalPathGpu]
    stragglers: Records[ReplayStraggler]
    ingest: ReplayIngest
    assumptions: Records[str]
    provenance: ReplayProvenance

class CriticalPathTask(Fields[Any]):
    name: str
    rank: int
    lane: str
    start_ns: int
    duration_ns: int
    released_by: str
    kind: str
    wait_ns: int
    queueing_ns: int

class CriticalPathGpu(Fields[Any]):
    host: str
    ranks: Records[int]
    length_ns: int
    classes: ReplayCriticalPathClasses
    tasks: Records[CriticalPathGpuTask]

class CriticalPathGpuTask(Fields[Any]):
    name: str
    rank: int
    duration_ns: int
    wait_ns: int

class Advice(Fields[Any]):
    schema: str
    capture: SweepCapture
    baseline: AdviceBaseline
    advice: Records[AdviceAdvice]
    long_calls: Records[AdviceLongCall]
    together: Records[AdviceTogether]
    left_out: Records[AdviceLeftOut]
    network: SweepNetwork
    assumptions: Records[str]
    provenance: ReplayProvenance

class AdviceBaseline(Fields[Any]):
    iteration_ns: int
    as_captured_ns: int
    measured_ns: int | None
    error: float | None

class AdviceAdvice(Fields[Any]):
    set: Fields[str]
    takes: str
    what: str
    verdict: str
    best_of_its_values: bool
    iteration_ns: int
    low_ns: int
    high_ns: int
    change: float | None
    low_change: float | None
    high_change: float | None
    mean_effect: WhatIfScenarioMeanEffect  # may be absent
    applies_to: Records[str]
    assumptions: Records[str]
    leaves_out: Records[str]
    note: str | None  # may be absent

class AdviceLongCall(Fields[Any]):
    name: str
    calls: int
    total_ns: int
    longest_ns: int
    share_of_cpu_work: float | None
    remedy: str

class AdviceTogether(Fields[Any]):
    set: Fields[str]
    iteration_ns: int | None
    low_ns: int | None  # may be absent
    high_ns: int | None  # may be absent
    change: float | None  # may be absent
    low_change: float | None  # may be absent
    high_change: float | None  # may be absent
    problem: str | None  # may be absent
    sum_of_changes: float | None

class AdviceLeftOut(Fields[Any]):
    changes: Records[str]
    reason: str

class Check(Fields[Any]):
    schema: str
    verdict: str
    usable: bool
    sentence: str
    ranks: int
    whole_steps: int
    questions: Fields[str | None]
    findings: Records[CheckFinding]
    files: Records[CheckFile]
    private: Records[CheckPrivate]
    replay: CheckReplay  # may be absent
    assumptions: Records[str]  # may be absent
    provenance: ReplayProvenance

class CheckFinding(Fields[Any]):
    name: str
    cost: str
    questions: Records[str]
    count: int
    share: float | None
    sentence: str
    effect: str
    remedy: str

class CheckFile(Fields[Any]):
    file: str
    format: str
    problem: str
    events: int
    skipped: int
    stages: int
    partitions: int
    operator_events: int
    operators_with_step: int
    operators_with_inputs: int
    graph_nodes: int
    tensors: int
    graph_tasks: int
    ranges: int
    samples: int
    processes: Records[CheckFileProcess]

class CheckFileProcess(Fields[Any]):
    rank: int | None
    world_size: int | None
    host: str
    device: str
    backend: str
    has_base_time: bool
    span_ns: int
    host_threads: int
    devices: int
    streams: int
    step_marks: int
    operators: int
    annotations: int
    calls: int
    kernels: int
    copies: int
    syncs: int
    launches: int
    launches_without_work: int
    work_without_launch: int
    collectives: int
    sized_collectives: int
    sequenced_collectives: int
    host_collectives: int
    shaped_operators: int
    python_calls: int
    module_calls: int
    memory_events: int
    flops_events: int
    overhead: Records[CheckFileProcessOverhead]

class CheckFileProcessOverhead(Fields[Any]):
    kind: str
    of: str
    count: int
    total_ns: int
    by_clock_ns: int
    longest_ns: int

class CheckPrivate(Fields[Any]):
    kind: str
    secret: bool
    count: int
    first: str

class CheckReplay(Fields[Any]):
    measured_ns: int | None
    replayed_ns: int
    error: float | None
    test_error: float | None
    path: CheckReplayPath

class CheckReplayPath(Fields[Any]):
    length_ns: int
    unexplained_ns: int
    silent_ns: int
    paused_ns: int
    hand_overs: int
    inferred: int

class Comparison(Fields[Any]):
    schema: str
    a: ComparisonA
    b: ComparisonA
    iteration: ComparisonIteration | None
    parts: Records[ComparisonPart]
    critical_path: Records[ComparisonPart]
    classes: Records[ComparisonClass]
    by: str
    rows: Records[ComparisonClass]
    gate: ComparisonGate | None
    gates: Records[ComparisonGate | None]
    provenance: ReplayProvenance

class ComparisonA(Fields[Any]):
    name: str
    what: str
    iteration_ns: int | None
    caution: str  # may be absent
    ranks: int
    steps_ns: Records[int]
    uncertainty_ns: int | None
    tasks_outside_steps: int
    warning: str

class ComparisonIteration(Fields[Any]):
    difference_ns: int
    relative: float | None
    ratio: float | None
    noise_ns: int | None
    smallest_visible_change: float | None
    beyond_noise: bool | None

class ComparisonPart(Fields[Any]):
    part: str
    a_ns: int
    b_ns: int
    difference_ns: int

class ComparisonClass(Fields[Any]):
    name: str
    kind: str  # may be absent
    # ["class"]: str  # may be absent
    match: str
    names_a: int
    names_b: int
    count_a: float | None
    count_b: float | None
    a_ns: int
    b_ns: int
    difference_ns: int
    relative: float | None

class ComparisonGate(Fields[Any]):
    gauge: str
    limit: float | None
    judged: bool
    failed: bool
    more_steps: int | None
    sentence: str

class Calibration(Fields[Any]):
    schema: str
    hosts: int
    endpoints: int
    links: Records[CalibrationLink]
    messages: Fields[Any]
    rates: CalibrationRates
    fits: Records[ReplayNetworkFit]
    ingest: ReplayIngest
    assumptions: Records[str]
    provenance: ReplayProvenance

class CalibrationLink(Fields[Any]):
    name: str
    bandwidth_bytes_per_s: float | None
    latency_ns: int
    efficiency: float | None

class CalibrationRates(Fields[Any]):
    copy_to_host_bytes_per_s: float | None
    copy_to_device_bytes_per_s: float | None
    copy_overhead_ns: int
    sum_bytes_per_s: float | None
    sum_overhead_ns: int
    launch_overhead_ns: int | None

class Machine(Fields[Any]):
    schema: str
    runs_file: str
    device: str
    runs: int
    error_by_data_sheet: float | None
    error_fitted: float | None
    error_from_others: float | None
    outside_allocator_bytes: int
    factors: Records[MachineFactor]
    steps: Records[MachineStep]
    refused: Records[MachineRefused]
    unused_columns: Records[str]
    provenance: ReplayProvenance

class MachineFactor(Fields[Any]):
    part: str
    factor: float | None
    share: float | None

class MachineStep(Fields[Any]):
    name: str
    line: int
    measured_ns: int
    by_data_sheet_ns: int
    by_data_sheet_error: float | None
    fitted_ns: int
    fitted_error: float | None
    from_others_ns: int | None
    from_others_error: float | None

class MachineRefused(Fields[Any]):
    name: str
    line: int
    problem: str

class TaskList(Fields[Any]):
    schema: str
    selection: str
    tasks: int
    kinds: Records[TaskListKind]
    classes: Records[TaskListKind]
    operators: Records[TaskListKind]
    annotations: Records[TaskListKind]
    modules: Records[TaskListKind]
    names: Records[TaskListKind]
    places: Fields[str]
    provenance: ReplayProvenance

class TaskListKind(Fields[Any]):
    name: str
    kind: str
    # ["class"]: str | None  # may be absent
    part: str | None
    tasks: int
    total_ns: int
    shortest_ns: int
    longest_ns: int
    share: float | None

class Conversion(Fields[Any]):
    schema: str
    output: str
    tasks: int  # may be absent
    edges: int  # may be absent
    ingest: ReplayIngest  # may be absent
    provenance: ReplayProvenance
    input: str  # may be absent
    of_copies: bool  # may be absent
    files: Records[CommJsonFile] | Records[CutFile | None] | int  # may be absent
    left_out: Fields[int] | Records[str]  # may be absent
    diagnostics: Records[ReplayIngestDiagnostic]  # may be absent
    records: int  # may be absent
    events: int  # may be absent
    flows: int  # may be absent
    metadata: int  # may be absent
    bytes: int  # may be absent
    bytes_of_files: int  # may be absent

class CommJsonFile(Fields[Any]):
    output: str
    rank: int
    tensors: int
    steps: int
    stages: int
    totals: int
    tensors_in_some_steps: int

class CutFile(Fields[Any]):
    input: str
    output: str
    records: int
    events: int
    flows: int
    metadata: int

class Scrubbing(Fields[Any]):
    schema: str
    output: str
    files: int
    replaced: Records[CheckPrivate]
    diagnostics: Records[ReplayIngestDiagnostic]  # may be absent
    provenance: ReplayProvenance
