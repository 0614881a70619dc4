"""Scenarios and sweeps: an error contains the file and line, what was found and what was expected."""
import byteps_base as base
from case import Case, Refused, printed
from job_cases import alias_bomb

WHATIF = ["whatif", "capture", "--quiet", "-s", "s.yaml"]
SWEEP = ["sweep", "capture", "--quiet", "-s", "s.yaml"]


def case(name, text, verdict, arguments=WHATIF):
    content = text if isinstance(text, bytes) else text.encode()
    return Case("scenario-" + name, dict(base.capture(), **{"s.yaml": content}), arguments, verdict, seconds=10, mebibytes=512)


def refused(name, text, line, found, arguments=WHATIF, code=1, before=""):
    """The error contains `line` of the file, `found` (a regular expression) and what was expected."""
    return case(name, text, Refused(rf"^error: {before}s\.yaml:{line}: (?=.*expected ).*{found}", code), arguments)


def one_of_several(name, text, found):
    """No point has an answer: the error is that of the first point with a wrong question."""
    return refused("sweep-" + name, text, r"\d+", found, SWEEP, 2, r"none of the \d+ points has a prediction; [^:]+: ")


# Names of those CHANGES that are valid questions, but which this capture cannot answer.
CAPTURE_LACKS = {"of-collectives", "device-without-kernels", "launch-without-devices", "copies-without-devices"}

# The text after "- " in line 2, and the error.
CHANGES = {
    "unknown-what-if": ("netwrok: {bandwidth: 2x}", r"unknown key 'netwrok'; did you mean 'network'\? expected network, comm, cluster, parallel, compute"),
    "unknown-parameter": ("network: {bandwith: 2x}", r"unknown key 'bandwith'; did you mean 'bandwidth'\? expected bandwidth, inside"),
    "unknown-selector": ("compute: {select: {wroker: 0}, scale: 2}", r"unknown key 'wroker'; did you mean 'worker'\? expected rank, worker"),
    "parameter-twice": ("network: {bandwidth: 2x, bandwidth: 3x}", "'bandwidth' is given twice, first in line 2"),
    "selector-twice": ("compute: {select: {rank: 0, rank: 1}, scale: 2}", "'rank' is given twice"),
    "select-twice": ("compute: {select: {rank: 0}, select: {step: 1}}", "'select' is given twice"),
    "two-what-ifs": ("{network: {bandwidth: 2x}, compute: {scale: 2}}", r"'changes\[0\]' names 2 what-ifs"),
    "what-if-twice": ("{network: {bandwidth: 2x}, network: {latency: 1us}}", "names 2 what-ifs"),
    "no-what-if": ("{}", "names 0 what-ifs"),
    "a-word": ("network", r"'changes\[0\]' is 'network'"),
    "a-list": ("[network]", r"'changes\[0\]' is a list"),
    "a-what-if-of-a-list": ("network: [2x]", "'network' is a list"),
    "a-what-if-of-a-word": ("network: fast", "'network' is 'fast'"),
    "a-what-if-of-nothing": ("network:", "'network' is nothing"),
    "a-list-of-values": ("network: {bandwidth: [2x]}", "'bandwidth' is a list"),
    "a-map-of-values": ("network: {bandwidth: {all: 2x}}", "'bandwidth' is a map"),
    "no-value": ("network: {bandwidth: }", "'bandwidth' is nothing"),
    "empty-value": ("network: {bandwidth: ''}", "'bandwidth' is ''"),
    "wrong-unit": ("network: {bandwidth: 25us}", "'us' is not a valid unit"),
    "missing-unit": ("network: {bandwidth: 25}", "the unit is missing"),
    "time-without-unit": ("network: {latency: 10}", "the unit is missing"),
    "bandwidth-negative": ("network: {bandwidth: -25Gb/s}", "it is not above zero"),
    "bandwidth-zero": ("network: {bandwidth: 0Gb/s}", "it is not above zero"),
    "bandwidth-infinite": ("network: {bandwidth: infGb/s}", "it does not start with a number"),
    "bandwidth-0x": ("network: {bandwidth: 0x}", "'bandwidth' is '0x'"),
    "bandwidth-next-to-0x": ("network: {bandwidth: 1e-300x}", "'bandwidth' is '1e-300x'"),
    "bandwidth-huge": ("network: {bandwidth: 1e300x}", "'bandwidth' is '1e300x'"),
    "bandwidth-nan": ("network: {bandwidth: nanx}", "'bandwidth' is 'nanx'"),
    "bandwidth-minus": ("network: {bandwidth: -1x}", "'bandwidth' is '-1x'"),
    "latency-negative": ("network: {latency: -1us}", "'latency' is '-1us'"),
    "latency-of-hours": ("network: {latency: 7200s}", "'latency' is '7200s'"),
    "efficiency-zero": ("network: {efficiency: 0}", "'efficiency' is '0'"),
    "sharing-unknown": ("network: {sharing: fairly}", "'sharing' is 'fairly'"),
    "workers-zero": ("cluster: {workers: 0}", "'workers' is '0'"),
    "workers-negative": ("cluster: {workers: -1}", "'workers' is '-1'"),
    "workers-fraction": ("cluster: {workers: 1.5}", "'workers' is '1.5'"),
    "workers-a-billion": ("cluster: {workers: 1000000000}", "'workers' is '1000000000'"),
    "workers-of-words": ("cluster: {workers: many}", "'workers' is 'many'"),
    "servers-zero": ("cluster: {servers: 0}", "'servers' is '0'"),
    "colocated-of-words": ("cluster: {colocated: perhaps}", "'colocated' is 'perhaps'"),
    "partition-zero": ("comm: {partition_bytes: 0}", "'partition_bytes' is '0'"),
    "partition-negative": ("comm: {partition_bytes: -1MB}", "it is negative"),
    "partition-unit": ("comm: {partition_bytes: 4MX}", "'MX' is not a valid unit"),
    "credit-negative": ("comm: {credit_bytes: -1}", "'credit_bytes' is '-1'"),
    "schedule-unknown": ("comm: {schedule: priorty}", r"did you mean 'priority'\?"),
    "hash-unknown": ("comm: {key_hash: md5}", "'key_hash' is 'md5'"),
    "of-collectives": ("comm: {bucket_bytes: 25MB}", "the job has parameter servers and no collectives"),
    "scale-negative": ("compute: {scale: -1}", "'scale' is '-1'"),
    "scale-infinite": ("compute: {scale: .inf}", "'scale' is '.inf'"),
    "scale-nan": ("compute: {scale: .nan}", "'scale' is '.nan'"),
    "scale-comma": ("compute: {scale: '1,5'}", "'scale' is '1,5'"),
    "scale-hexadecimal": ("compute: {scale: 0x10}", "'scale' is '0x10'"),
    "add-without-unit": ("compute: {add: 10}", "the unit is missing"),
    "batch-zero": ("batch: {scale: 0}", "'scale' is '0'"),
    "share-beyond-one": ("straggler: {share: 1.5}", "'share' is '1.5'"),
    "distribution-unknown": ("straggler: {distribution: gauss}", "'distribution' is 'gauss'"),
    "exponential-below-one": ("straggler: {distribution: exponential, factor: 0.5}", "whose factors are at least 1"),
    "device-unknown": ("device: {to: H1000}", r"did you mean"),
    "device-model-unknown": ("device: {to: H100, model: rofline}", r"did you mean 'roofline'\?"),
    "device-without-factor": ("device: {model: scaled}", "has no 'factor'"),
    "device-without-kernels": ("device: {to: H100}", "the capture has no GPU kernels"),
    "precision-unknown": ("precision: {to: fp17}", "'to' is 'fp17'"),
    "gradients-0x": ("precision: {gradients: 0x}", "'gradients' is '0x'"),
    "remove-everything": ("remove: {}", "'remove' without a selection would remove everything"),
    "place-unknown": ("insert: {duration: 1us, place: beside}", "'place' is 'beside'"),
    "fuse-none": ("fuse: {most: 0}", "'most' is '0'"),
    "launch-without-devices": ("launch: {overhead: 0us}", "the capture has no launches"),
    "copies-without-devices": ("overlap: {copies: apart}", "the capture has no copies"),
    "barriers-unknown": ("overlap: {barriers: none}", "'barriers' is 'none'"),
    "selects-nothing": ("compute: {select: {rank: 17}, scale: 2}", r"\{rank=17\} matches none of the \d+ tasks"),
    "selects-no-name": ("compute: {select: {name: '^nothing'}, scale: 2}", "matches none"),
    "selects-messages": ("compute: {select: {kind: transfer}, scale: 2}", "matches only communication"),
    "selects-where-nothing-does": ("cluster: {select: {rank: 0}, workers: 4}", "unknown key 'select'"),
    "select-a-list": ("compute: {select: [rank], scale: 2}", "'select' is a list"),
    "select-a-word": ("compute: {select: all, scale: 2}", "'select' is 'all'"),
    "select-a-list-of-lists": ("compute: {select: {rank: [[0, 1]]}, scale: 2}", r"'rank\[0\]' is a list.*expected whole numbers"),
    "select-an-empty-list": ("compute: {select: {rank: []}, scale: 2}", "'rank' is a list.*expected whole numbers"),
    "ranks-backwards": ("compute: {select: {rank: 7-3}, scale: 2}", "'rank' is '7-3'"),
    "bytes-backwards": ("compute: {select: {bytes: 4MB-1MB}, scale: 2}", "'bytes' is '4MB-1MB'"),
    "kind-unknown": ("compute: {select: {kind: kernal}, scale: 2}", r"did you mean 'kernel'\?"),
    "pattern-open": ("compute: {select: {name: '(BW'}, scale: 2}", r"which is not a regular expression \(missing \)"),
    "pattern-with-reference": (r"compute: {select: {name: '(a)\1'}, scale: 2}", "invalid escape sequence"),
    "pattern-that-explodes": ("compute: {select: {name: '((a{100}){100}){100}'}, scale: 2}", "which is not a regular expression"),
    "pattern-without-end": ("compute: {select: {name: " + "a" * 5000 + "}, scale: 2}", r"which is not a regular expression \(it is longer than 4096 bytes\)"),
    "merge-key": ("network: {<<: {bandwidth: 2x}}", "unknown key '<<'"),
    "hostile-value": (r'network: {bandwidth: "\e[31m2x"}', r"'\\x1b\[31m2x'"),
    "turned-round": (r'network: {bandwidth: "\u202e2x"}', r"'\\u202e2x'"),
    "many-parameters": ("network: {" + ", ".join(f"k{i}: 1" for i in range(60000)) + "}", "unknown key 'k0'"),
}

# Whole files: the text, the line of the error, the error.
FILES = {
    "unknown-key": ("nme: x\n", 1, r"unknown key 'nme'; did you mean 'name'\? expected name, changes or sweep"),
    "key-twice": ("name: a\nname: b\n", 2, "'name' is given twice, first in line 1"),
    "hostile-key": ('"\\e[31mname": x\n', 1, r"unknown key '\\x1b\[31mname'"),
    "name-a-list": ("name: [a]\n", 1, "'name' is a list"),
    "name-of-two-lines": ("name: |\n  a\n  b\n", 1, r"'name' is 'a\\nb\\n'"),
    "name-without-end": ("name: " + "x" * 900000 + "\n", 1, "'name' is 'xxx"),
    "changes-a-map": ("changes: {network: {bandwidth: 2x}}\n", 1, "'changes' is a map"),
    "changes-a-word": ("changes: network\n", 1, "'changes' is 'network'"),
    "changes-of-nothing": ("changes:\n", 1, "'changes' is nothing"),
    "change-of-nothing": ("changes:\n  -\n", r"\d", r"'changes\[0\]' is nothing"),
    "too-many-changes": ("changes: [" + "{compute: {scale: 1}}," * 20000 + "]\n", 1, "more than 10000 changes"),
    "a-list": ("- network\n", 1, "the file is a list"),
    "a-word": ("network\n", 1, "the file is a value"),
    "two-documents": ("name: a\n---\nname: b\n", 2, "a second document"),
    "tab": ("changes:\n\t- network: {bandwidth: 2x}\n", "2:1", "a tab indents the line"),
    "tab-before-a-list": ("changes:\n\t[{network: {bandwidth: 2x}}]\n", "2:1", "a tab indents the line"),
    "tab-within-a-list": ("changes: [\n  \t{network: {bandwidth: 2x}}]\n", "2:3", "a tab indents the line"),
    "brace-open": ("changes: [{network: {bandwidth: 2x}\n", 1, "end of map flow not found"),
    "quote-open": ('changes: []\nname: "abc\n', 2, "a quote is not closed"),
    "undefined-alias": ("changes: *changes\n", 1, "the referenced anchor is not defined"),
    "anchor-of-itself": ("changes: &c\n  - network: *c\n", 2, "an alias is inside its own anchor"),
    "alias-bomb": (alias_bomb(), 6, "anchors and aliases expand to more than 1000000 values"),
    "nested-100000": ("changes: " + "[" * 100000, 1, "nested too deeply"),
    "nested-maps-100000": ("changes: " + "{a: " * 100000, 1, "nested too deeply"),
    "ten-megabytes": ("# " + "x" * 10000000 + "\nnme: x\n", 1, "larger than 1 MiB"),
    "many-keys": ("".join(f"k{i}: 1\n" for i in range(60000)), 1, "unknown key 'k0'"),
    "binary": (bytes(range(128, 256)) * 4, 1, "the byte 0x80"),
    "nul-byte": (b"changes: []\nname: a\x00b\n", 2, "the byte 0x00"),
    "end-of-text-byte": (b"changes: []\n# \x04\nnme: x\n", 2, "the byte 0x04"),
    "latin-1": (b"name: caf\xe9\n", 1, "the byte 0xe9"),
    "utf-16": ("name: a\n".encode("utf-16"), 1, "the byte 0xff"),
    "byte-order-mark": (b"\xef\xbb\xbfnme: x\n", 1, "unknown key 'nme'"),
    "carriage-returns": (b"changes:\r\n  - network: {bandwidth: 2y}\r\n", 2, "'y' is not a valid unit"),
    "tagged": ("name: !!python/object/apply:os.system ['touch PWNED']\n", 1, "'name' is a list"),
    "directive": ("%YAML 9.9\n---\nname: a\n", 1, "YAML major version too large"),
    "key-a-list": ("? [a, b]\n: 1\n", 1, "a key is a list"),
    "a-sweep": ("name: a\nsweep: {network.bandwidth: [1x, 2x]}\n", 2, "or 'stepsim sweep'"),
    "a-list-of-points": ("sweep:\n- {network.bandwidth: 2x}\n", 2, "or 'stepsim sweep'"),
}

SWEEPS = {
    "none": ("changes: []\n", 1, "the scenario has no 'sweep'.*or 'stepsim whatif'"),
    "empty-file": ("", 1, "the scenario has no 'sweep'"),
    "of-nothing": ("sweep:\n", 1, "'sweep' is nothing"),
    "of-no-keys": ("sweep: {}\n", 1, "'sweep' is empty"),
    "of-no-points": ("sweep: []\n", 1, "'sweep' is empty"),
    "a-word": ("sweep: all\n", 1, "'sweep' is 'all'"),
    "empty-grid": ("sweep: {network.bandwidth: []}\n", 1, "'network.bandwidth' is empty"),
    "axis-a-word": ("sweep: {network.bandwidth: 2x}\n", 1, "'network.bandwidth' is '2x'"),
    "axis-a-map": ("sweep: {network.bandwidth: {a: 2x}}\n", 1, "'network.bandwidth' is a map"),
    "axis-of-nothing": ("sweep:\n  network.bandwidth:\n", 2, "'network.bandwidth' is nothing"),
    "value-a-list": ("sweep: {network.bandwidth: [[1x]]}\n", 1, r"'network.bandwidth\[0\]' is a list"),
    "value-of-nothing": ("sweep: {network.bandwidth: [1x, ~]}\n", 1, r"'network.bandwidth\[1\]' is nothing"),
    "unknown-what-if": ("sweep: {netwrok.bandwidth: [1x]}\n", 1, r"did you mean 'network'\?"),
    "unknown-parameter": ("sweep: {network.bandwith: [1x]}\n", 1, r"did you mean 'bandwidth'\?"),
    "key-without-dot": ("sweep: {network: [1x]}\n", 1, "'network' is not a key of a sweep"),
    "key-with-two-dots": ("sweep: {network.bandwidth.x: [1x]}\n", 1, "unknown key 'bandwidth.x'"),
    "key-a-list": ("sweep:\n  [network.bandwidth]: [1x]\n", 2, "a key is not text"),
    "key-a-map": ("sweep:\n  ? {a: b}\n  : [1x]\n", 2, "a key is not text"),
    "key-of-nothing": ("sweep:\n  ~: [1x]\n", 2, "a key is not text"),
    "key-twice": ("sweep:\n  network.bandwidth: [1x]\n  network.bandwidth: [2x]\n", 3, "'network.bandwidth' is given twice"),
    "hostile-key": ('sweep:\n  "network.\\e[31mx": [1x]\n', 2, r"unknown key '\\x1b\[31mx'"),
    "unknown-unit": ("sweep:\n  network.bandwidth: [1x,\n    2 parrots]\n", 3, "'parrots' is not a valid unit"),
    "bandwidth-0x": ("sweep: {network.bandwidth: [1x, 0x]}\n", 1, "'bandwidth' is '0x'"),
    "workers-zero": ("sweep: {cluster.workers: [1, 0]}\n", 1, "'workers' is '0'"),
    "a-million-points": ("sweep:\n  compute.scale: " + str(list(range(1, 1002))) + "\n  batch.scale: " + str(list(range(1, 1002))) + "\n", 3, "more than 1000000 points"),
    "a-trillion-points": ("sweep:\n" + "".join(f"  compute{{rank={i}}}.scale: {list(range(1, 11))}\n" for i in range(12)), 8, "more than 1000000 points"),
    "alias-bomb": (alias_bomb() + b"sweep: {network.bandwidth: *a9}\n", 6, "more than 1000000 values"),
    "brace-open": ("sweep: {'compute{rank=0.scale': [1]}\n", 1, "is not a key of a sweep"),
    "unknown-selector": ("sweep: {'compute{rnak=0}.scale': [1]}\n", 1, r"did you mean 'rank'\?"),
    "selector-without-value": ("sweep: {'compute{rank}.scale': [1, 2]}\n", 1, "'rank' is nothing"),
    "selector-of-nothing": ("sweep: {'compute{rank=}.scale': [1, 2]}\n", 1, "'rank' is ''"),
    "pattern-open": ("sweep: {'compute{name=(BW}.scale': [1, 2]}\n", 1, "which is not a regular expression"),
    "point-of-nothing": ("sweep:\n- {}\n", 2, r"'sweep\[0\]' is a map"),
    "point-a-word": ("sweep:\n- 2x\n", 2, r"'sweep\[0\]' is '2x'"),
    "point-twice": ("sweep:\n- {compute.scale: 1,\n   compute.scale: 2}\n", 3, "'compute.scale' is given twice"),
    "point-of-lists": ("sweep:\n- {compute.scale: [1, 2]}\n", 2, "'compute.scale' is a list"),
    "bad-change": ("changes:\n- network: {bandwidth: 2y}\nsweep: {compute.scale: [1]}\n", 2, "'y' is not a valid unit"),
}

# After --set: wrong usage, and the error quotes what was typed.
SETS = {
    "no-value": ("network.bandwidth", "expected WHATIF.PARAMETER=VALUE"),
    "no-parameter": ("network=2x", "expected WHATIF.PARAMETER=VALUE"),
    "unknown-what-if": ("netwrok.bandwidth=2x", r"did you mean 'network'\?"),
    "unknown-parameter": ("network.bandwith=2x", r"did you mean 'bandwidth'\?"),
    "bandwidth-0x": ("network.bandwidth=0x", "expected a factor"),
    "without-unit": ("network.latency=10", "the unit is missing"),
    "selector-without-value": ("compute{rank}.scale=2", "'rank' is nothing"),
    "selects-nothing": ("compute{rank=17}.scale=2", "matches none"),
    "remove-everything": ("remove.share=1", "would remove everything"),
    "longer-than-time": ("compute.add=3600s", None),
}


def sets():
    for name, (text, found) in SETS.items():
        arguments = ["whatif", "capture", "--quiet", "--set", text]
        yield case("set-" + name, "", printed if found is None else Refused(rf"^error: --set '.*': .*{found}", 2), arguments)
    ages = ["whatif", "capture", "--quiet", "--set", "compute.scale=1e9", "--set", "compute{rank=0}.scale=1e9", "--set", "compute{worker=0}.scale=1e9"]
    yield case("set-longer-than-146-years", "", Refused("longer than 146 years; expected", 2), ages)


def cases():
    for name, (text, found) in CHANGES.items():
        yield refused("change-" + name, "changes:\n  - " + text + "\n", 2, found, code=5 if name in CAPTURE_LACKS else 1)
    for name, (text, line, found) in FILES.items():
        yield refused(name, text, line, found)
    for name, (text, line, found) in SWEEPS.items():
        yield refused("sweep-" + name, text, line, found, SWEEP)
    yield one_of_several("selects-nothing", "sweep: {'compute{rank=17}.scale': [1, 2]}\n", "matches none")
    yield one_of_several("5000-axes", "sweep:\n" + "".join(f"  compute{{rank={i + 9}}}.scale: [1]\n" for i in range(5000)), "matches none")
    yield from sets()
    for name, text in {"empty": b"", "comments-only": b"# nothing\n", "no-change": b"changes: []\n", "carriage-returns-taken": b"changes:\r\n  - network: {bandwidth: 2x}\r\n",
                       "byte-order-mark-taken": b"\xef\xbb\xbfchanges:\n  - network: {bandwidth: 2x}\n", "an-anchor": b"changes:\n  - compute: {select: {name: FW.layer0}, scale: &twice 2}\n  - compute: {select: {name: FW.layer1}, scale: *twice}\n",
                       "no-last-line-end": b"name: 'a'", "document-end": b"name: a\n...\n", "slow-for-others": b"changes: [{compute: {select: {name: '(FW|BW|.)*.*$'}, scale: 2}}]\n"}.items():
        yield case(name, text, printed)
