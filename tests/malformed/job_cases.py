"""job.yaml: an error contains the file and the line."""
import byteps_base as base
from byteps_cases import REPLAY, WHOLE
from case import Case, Refused, Used, no_file


def case(name, content, verdict, twin=None, arguments=REPLAY, **options):
    files = base.capture(job=content)
    return Case("job-" + name, files, arguments, verdict, twin=twin, **options)


def alias_bomb():
    text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for i in range(1, 10):
        text += f"a{i}: &a{i} [" + ", ".join([f"*a{i - 1}"] * 10) + "]\n"
    return text.encode()


def cases():
    line = Refused(r"error: (/.*/)?job\.yaml:\d+(:\d+)?: .*expected")
    for name, text in {
        "unknown-key": "framework: byteps\nworkerz: 2\n", "key-twice": "workers: 2\nworkers: 3\n", "workers-negative": "workers: -2\n", "workers-zero": "workers: 0\n",
        "workers-of-words": "workers: two\n", "workers-fraction": "workers: 1.5\n", "workers-a-trillion": "workers: 1000000000000\n",
        "workers-a-list": "workers: [1, 2]\n", "workers-a-map": "workers: {a: 1}\n", "workers-empty": "workers:\n", "workers-no": "workers: no\n",
        "partition-negative": "partition_bytes: -5\n", "partition-zero": "partition_bytes: 0\n", "partition-unit": "partition_bytes: 4MX\n", "partition-huge": "partition_bytes: 99999999999999999999\n",
        "bucket-of-words": "bucket_bytes: large\n", "credit-negative": "credit_bytes: -1\n", "schedule-unknown": "schedule: fastest\n", "barrier-unknown": "barrier: none\n",
        "control-unknown": "control: remote\n", "hash-unknown": "key_hash: md5\n", "exact-of-words": "exact: perhaps\n", "framework-a-list": "framework: [byteps]\n",
        "network-a-word": "network: fast\n", "network-unknown-key": "network: {bandwith: 1Gb/s}\n", "bandwidth-without-unit": "network: {bandwidth: 1000}\n",
        "bandwidth-zero": "network: {bandwidth: 0Gb/s}\n", "bandwidth-negative": "network: {bandwidth: -1Gb/s}\n", "bandwidth-nan": "network: {bandwidth: nanGb/s}\n", "latency-without-unit": "network: {latency: 10}\n",
        "latency-negative": "network: {latency: -5us}\n", "a-list": "- workers\n- servers\n", "a-word": "byteps\n", "tab-indent": "network:\n\tbandwidth: 1Gb/s\n", "tab-before-a-map": "network:\n\t{bandwidth: 1Gb/s}\n",
        "colon-missing": "workers 2\nservers: 1\n", "unclosed-brace": "network: {bandwidth: 1Gb/s\n", "unclosed-quote": 'framework: "byteps\n', "undefined-alias": "workers: *w\n",
        "key-a-list": "? [a, b]\n: 1\n", "two-documents": "workers: 1\n---\nworkers: 2\n", "tagged": "workers: !!python/object/apply:os.system ['touch PWNED']\n",
        "hostile-key": '"\\e[31mworkers": 2\n', "directive": "%YAML 9.9\n---\nworkers: [\n",
    }.items():
        yield case(name, text.encode(), line)
    yield case("alias-bomb", alias_bomb(), line)
    yield case("alias-cycle", b"network: &n\n  bandwidth: *n\n", line)
    yield case("binary", bytes(range(128, 256)) * 4, line)
    yield case("nul-bytes", b"workers: 1\x00\n", line)
    yield case("not-utf8", b"framework: \xff\xfe\n", line)
    yield case("nested-100000", b"network: " + b"[" * 100000, line)
    yield case("nested-maps-100000", b"network: " + b"{a: " * 100000, line)
    yield case("ten-megabytes", b"# " + b"x" * 10000000 + b"\nworkers: many\n", line)
    yield case("long-value", b"framework: " + b"x" * 1000000 + b"\n", line)
    yield case("workers-with-a-leading-zero", base.JOB.replace(b"workers: 1", b"workers: 01"), Used(), WHOLE)
    yield case("empty", b"", Used())
    yield case("comments-only", b"# nothing\n", Used())
    yield case("carriage-returns", base.JOB.replace(b"\n", b"\r\n"), Used(), WHOLE)
    yield case("an-anchor", b"framework: byteps\nworkers: &one 1\nservers: *one\npartition_bytes: 1024000\nnetwork: {bandwidth: 1Gb/s}\n", Used(), WHOLE)
    yield case("named-by-option", base.JOB, Used(), WHOLE, ["replay", "capture", "--json", "--job", "job.yaml"])
    yield case("option-file-missing", base.JOB, no_file("job"), arguments=["replay", "capture", "--json", "--job", "nothing.yaml"])
    yield case("option-a-folder", base.JOB, no_file("job"), arguments=["replay", "capture", "--json", "--job", "capture"])
