"""cluster.yaml: an error contains the file and the line."""
import graph_cases
from case import Case, Refused, Used, no_file
from job_cases import alias_bomb

REPLAY = graph_cases.REPLAY + ["--network", "maxmin", "--cluster", "cluster.yaml"]
CLUSTER = b"hosts: 2\nnic: {bandwidth: 8Gb/s, latency: 5us}\n"
TWO = "hosts: [a, b]\n"
NIC = "nic: {bandwidth: 1Gb/s}\n"
LINKS = TWO + "links: [{name: x, bandwidth: 1Gb/s}]\n"


def files(content):
    return dict(graph_cases.WHOLE.files, **{"cluster.yaml": content})


WHOLE = Case("cluster-whole", files(CLUSTER), REPLAY, Used(skipped=0))


def case(name, content, verdict, twin=None, arguments=REPLAY, **options):
    return Case("cluster-" + name, files(content), arguments, verdict, twin=twin, **options)


def cases():
    yield WHOLE
    line = Refused(r"error: (/.*/)?cluster\.yaml:\d+(:\d+)?: .*expected")
    for name, text in {
        "empty": "", "a-list": "- a\n", "a-word": "star\n", "no-hosts": NIC, "no-nic": TWO, "assumed-without-a-value": TWO + NIC + "messages: {sharing: {assumed: true}}\n", "assumed-of-words": TWO + NIC + "messages: {sharing: {value: 0.5, assumed: perhaps}}\n", "assumed-unknown-key": TWO + NIC + "messages: {overhead: {value: 5us, assume: true}}\n",
        "assumed-twice": TWO + NIC + "messages: {overhead: {value: {value: 5us}}}\n", "tab-before-a-map": TWO + "nic:\n\t{bandwidth: 1Gb/s}\n", "unknown-key": TWO + NIC + "switches: 2\n",
        "key-twice": TWO + NIC + NIC, "hosts-zero": NIC + "hosts: 0\n", "hosts-a-trillion": NIC + "hosts: 1000000000000\n", "hosts-a-billion": NIC + "hosts: 1000000000\n",
        "hosts-nested": NIC + "hosts: [[a], b]\n", "hosts-twice": NIC + "hosts: [a, a]\n", "hosts-none": NIC + "hosts: []\n", "hosts-null": NIC + "hosts: [null, ~]\n",
        "bandwidth-zero": TWO + "nic: {bandwidth: 0Gb/s}\n", "bandwidth-negative": TWO + "nic: {bandwidth: -1Gb/s}\n", "bandwidth-bare": TWO + "nic: {bandwidth: 25}\n",
        "bandwidth-a-size": TWO + "nic: {bandwidth: 25GB}\n", "bandwidth-inf": TWO + "nic: {bandwidth: infGb/s}\n", "bandwidth-missing": TWO + "nic: {}\n",
        "latency-negative": TWO + "nic: {bandwidth: 1Gb/s, latency: -1us}\n", "latency-of-years": TWO + "nic: {bandwidth: 1Gb/s, latency: 9000000000s}\n",
        "efficiency-zero": TWO + "nic: {bandwidth: 1Gb/s, efficiency: 0}\n", "efficiency-nan": TWO + "nic: {bandwidth: 1Gb/s, efficiency: nan}\n",
        "ports-zero": TWO + NIC + "tiers: [{ports: 0}]\n", "oversubscription-zero": TWO + NIC + "tiers: [{ports: 2, oversubscription: 0}]\n",
        "a-thousand-tiers": TWO + NIC + "tiers: [" + "{ports: 1}, " * 1000 + "{ports: 1}]\n",
        "devices-a-billion": TWO + NIC + "devices: 1000000000\n", "six-million-devices": "hosts: 100000\n" + NIC + "devices: 64\npcie: {bandwidth: 1GB/s}\n",
        "devices-apart": TWO + NIC + "devices: 2\n", "nics-without-devices": TWO + NIC + "nics: 4\n", "nvlink-without-devices": TWO + NIC + "nvlink: {bandwidth: 1GB/s}\n",
        "override-unknown-host": TWO + NIC + "overrides: [{host: c, nic: {bandwidth: 1Gb/s}}]\n", "endpoint-unknown-host": TWO + NIC + "endpoints: [a, c]\n",
        "endpoint-number-too-large": TWO + NIC + "endpoints: [0, 99999999999999999999]\n", "endpoint-no-device": TWO + NIC + "endpoints: [a/0, b/0]\n", "endpoints-none": TWO + NIC + "endpoints: []\n",
        "sharing-unknown": TWO + NIC + "messages: {sharing: unfair}\n", "sharing-above-one": TWO + NIC + "messages: {sharing: 1.5}\n", "sum-a-time": TWO + NIC + "rates: {sum: 5us}\n",
        "both-forms": LINKS + NIC, "link-zero": TWO + "links: [{bandwidth: 0B/s}]\n", "route-unknown-link": LINKS + "routes: [{from: 0, to: 1, links: [y]}]\n",
        "route-to-nowhere": LINKS + "routes: [{from: 0, to: 2, links: [x]}]\n", "route-twice": LINKS + "routes: [{from: 0, to: 1, links: [x]}, {from: 0, to: 1, links: [x]}]\n",
        "climb-uneven": LINKS + "endpoints: [{host: a, up: [x], down: [], switches: [0]}]\n", "relay-nowhere": LINKS + "endpoints: [{host: a, up: [], relays: [4000000]}]\n",
        "unclosed-brace": TWO + "nic: {bandwidth: 1Gb/s\n", "unclosed-quote": 'hosts: ["a\n', "tab-indent": TWO + "nic:\n\tbandwidth: 1Gb/s\n", "two-documents": TWO + "---\n" + NIC,
        "undefined-alias": "hosts: *n\n" + NIC, "alias-cycle": TWO + "nic: &n\n  bandwidth: *n\n", "key-a-list": "? [a, b]\n: 1\n", "hostile-key": '"\\e[31mhosts": 2\n',
        "tagged": "hosts: !!python/object/apply:os.system ['touch PWNED']\n",
    }.items():
        yield case(name, text.encode(), line)
    yield case("alias-bomb", alias_bomb(), line)
    yield case("binary", bytes(range(128, 256)) * 4, line)
    yield case("nul-bytes", CLUSTER + b"\x00\n", line)
    yield case("nested-100000", b"hosts: " + b"[" * 100000, line)
    yield case("nested-maps-100000", b"hosts: " + b"{a: " * 100000, line)
    yield case("ten-megabytes", b"# " + b"x" * 10000000 + b"\n" + CLUSTER, line)
    yield case("a-million-aliases", b"hosts: 2\nnic: &n {bandwidth: 1Gb/s}\noverrides: [" + b"*n, " * 600000 + b"*n]\n", line)
    yield case("too-few-endpoints", CLUSTER.replace(b"2", b"1", 1), no_file("cluster", r"error: (/.*/)?cluster\.yaml: .*endpoint.*expected"))
    yield case("no-route", LINKS.encode(), no_file("cluster", r"error: (/.*/)?cluster\.yaml: .*route.*expected"))
    yield case("carriage-returns", CLUSTER.replace(b"\n", b"\r\n"), Used(), WHOLE)
    yield case("an-anchor", b"hosts: &two 2\nnic: {bandwidth: 8Gb/s, latency: 5us}\ntiers: [{ports: *two}]\n", Used(), WHOLE)
    yield case("file-missing", CLUSTER, no_file("cluster"), arguments=REPLAY[:-1] + ["nothing.yaml"])
    yield case("a-folder", CLUSTER, no_file("cluster"), arguments=REPLAY[:-1] + ["."])
