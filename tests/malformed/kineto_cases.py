"""Kineto JSON: defects of real traces, and similar ones."""
import kineto_base as base
from case import Case, Refused, Used, dumps, printed

REPLAY = ["replay", "rank0.json", "--json"]
WHOLE = Case("kineto-whole", {"rank0.json": base.text(base.lines())}, REPLAY, Used(skipped=0))


def case(name, content, verdict, **options):
    return Case("kineto-" + name, {"rank0.json": content}, REPLAY, verdict, **options)


def with_line(extra):
    lines = [line.encode() for line in base.lines()]
    lines.insert(12, extra if isinstance(extra, bytes) else extra.encode())
    return base.raw(lines)


def odd_kernel(**members):
    """Returns a kernel between the work of two steps, with members replaced or, if None, removed."""
    kernel = base.event("kernel", "odd", 7, 1900, 10, pid=0, stream=7, device=0, correlation=77)
    kernel.update(members)
    return dumps({key: value for key, value in kernel.items() if value is not None})


WITH_KERNEL = case("one-kernel-more", with_line(odd_kernel()), Used(skipped=0))


def inserted(name, bad_line, verdict, twin=WHOLE):
    """An odd event among good ones. The good ones are used."""
    return case(name, with_line(bad_line), verdict, twin=twin)


def unreadable_events():
    """An event whose members cannot be read is skipped, with its offset."""
    kernel = odd_kernel()
    for name, line in {
        "raw-quote": kernel.replace("odd", 'a "quoted" name'), "quote-and-newline": kernel.replace("odd", 'say "hi"\n at line 3'),
        "key-without-opening-quote": kernel.replace('"tid"', 'tid"'), "key-without-closing-quote": kernel.replace('"tid"', '"tid'),
        "key-without-value": kernel.replace('"tid":7', '"tid":'), "missing-colon": kernel.replace('"tid":7', '"tid" 7'),
        "missing-comma": kernel.replace('"tid":7,', '"tid":7 '), "double-comma": kernel.replace('"tid":7,', '"tid":7,,'),
        "single-quotes": kernel.replace('"', "'"), "two-points": kernel.replace('"dur":10', '"dur":1.0.0'),
        "leading-plus": kernel.replace('"dur":10', '"dur":+10'), "hexadecimal": kernel.replace('"dur":10', '"dur":0x10'),
        "wrong-literal": kernel.replace('"dur":10', '"dur":nul'), "bracket-in-place-of-brace": kernel[:-1] + "]", "colon-soup": '{"a":1:2}',
        "lone-string": '"not an event"', "lone-number": "17", "null-event": "null", "array-event": "[1, 2, [3]]",
    }.items():
        yield inserted(name, line, Used({"bad_record": 1}, skipped=1))
    for name, line in {"closed-twice": kernel + "}", "comment": "/* a comment */ " + kernel}.items():
        yield inserted(name, line, Used({"bad_record": 1}, skipped=1), WITH_KERNEL)


def odd_events():
    """Not strict JSON, but with a clear meaning: the event is used and counted as odd."""
    kernel = odd_kernel()
    for name, line in {
        "raw-backslash": kernel.replace("odd", "torch\\cuda\\__init__.py"), "raw-newline": kernel.replace("odd", "two\nlines"),
        "control-byte": kernel.replace("odd", "bell\x07"), "not-utf8": kernel.encode().replace(b"odd", b"\xff\xfe\x80"),
        "utf8-surrogate": kernel.encode().replace(b"odd", b"\xed\xa0\x80"), "utf8-overlong": kernel.encode().replace(b"odd", b"\xc0\xaf"),
        "nul-byte": kernel.encode().replace(b"odd", b"a\x00b"), "bad-escape": kernel.replace("odd", "\\x41"),
        "bad-unicode-escape": kernel.replace("odd", "\\u12G4"), "half-surrogate": kernel.replace("odd", "\\udc00"),
        "trailing-comma": kernel[:-1] + ",}",
    }.items():
        yield inserted(name, line, Used({"odd_json": 1}, skipped=0), WITH_KERNEL)
    yield inserted("nan", kernel.replace('"dur":10', '"dur":NaN'), Used({"odd_json": 1}, skipped=1))
    yield inserted("infinity", kernel.replace('"dur":10', '"dur":-Infinity'), Used({"odd_json": 1}, skipped=1))
    yield inserted("empty-place", "", Used(skipped=0))


def odd_values():
    """Valid JSON with impossible values."""
    for name, line, reason in (
        ("no-start", odd_kernel(ts=None), None), ("null-start", odd_kernel(ts=None).replace('"ph"', '"ts":null,"ph"'), None),
        ("text-start", odd_kernel(ts="soon"), None), ("object-start", odd_kernel(ts={"us": 1}), None), ("true-duration", odd_kernel(dur=True), None),
        ("absurd-duration", odd_kernel(dur=8 * 86400 * 1000000), "absurd_duration"),
        ("duration-beyond-64-bits", odd_kernel().replace('"dur":10', '"dur":99999999999999999999999'), None),
        ("start-beyond-64-bits", odd_kernel().replace('"ts":1900', '"ts":1e300'), None), ("start-far-below-zero", odd_kernel().replace('"ts":1900', '"ts":-1e300'), None),
        ("zero-time", odd_kernel(ts=0, dur=0), "no_timestamp"),
    ):
        yield inserted(name, line, Used({reason: 1} if reason else {}, skipped=1))
    yield inserted("no-duration", odd_kernel(dur=None), Used({"no_duration": 1}, skipped=0), WITH_KERNEL)
    yield inserted("negative-duration", odd_kernel(dur=-5), Used({"negative_duration": 1}, skipped=0), WITH_KERNEL)
    yield inserted("end-beyond-64-bits", odd_kernel(ts=7455910000000000, dur=604799000000), Used(), twin=None)
    zeros = [odd_kernel(ts=0, dur=0)] * 3000
    yield case("zero-time-by-the-thousand", base.text(base.lines() + zeros), Used({"no_timestamp": 3000}, skipped=3000), twin=WHOLE)


def odd_steps():
    """Impossible step marks. The other steps stay."""
    def marked(old, new):
        return base.text([line.replace(old, new) if "ProfilerStep" in line else line for line in base.lines()])

    good = Used()
    last = '"ts":3000,"dur":1000'
    yield case("step-of-no-length", marked(last, '"ts":3000,"dur":0'), good)
    yield case("step-of-negative-length", marked(last, '"ts":3000,"dur":-1'), good)
    yield case("step-far-away", marked(last, '"ts":300000000,"dur":1000'), good)
    yield case("step-before-the-others", marked(last, '"ts":0,"dur":1'), good)
    yield case("step-around-the-others", marked(last, '"ts":500,"dur":9000'), good)
    yield case("step-over-half-of-the-next", marked('"ts":2000,"dur":1000', '"ts":2000,"dur":1500'), good)
    yield case("step-twice", marked("#6", "#5"), good)
    yield case("steps-backwards", marked("#6", "#3"), good)
    yield case("step-number-beyond-64-bits", marked("#6", "#99999999999999999999"), good)
    yield case("step-number-the-largest", marked("#5", "#9223372036854775807"), good)
    yield case("step-number-negative", marked("#6", "#-6"), good)
    yield case("step-number-of-words", marked("#6", "#six"), good)
    yield case("step-number-empty", marked("#6", "#"), good)
    yield case("steps-on-another-thread", marked('"tid":100', '"tid":200'), good)
    yield case("steps-on-the-device", marked('"cat":"user_annotation"', '"cat":"gpu_user_annotation"'), good)


def harmless():
    """Odd but usable: nothing is skipped or refused."""
    good = Used(skipped=0)
    yield case("duplicate-key", base.text([base.lines()[0]] + [line.replace('"ph":"X"', '"ph":"X","ph":"X"') for line in base.lines()[1:]]), good, twin=WHOLE)
    yield case("no-phase-known", base.text(base.lines() + ['{"ph":"Z","name":"z","ts":1,"pid":1,"tid":1}', '{"name":"z","ts":1}', "{}"]), good, twin=WHOLE)
    yield case("carriage-returns", base.text(base.lines()).replace(b"\n", b"\r\n"), good, twin=WHOLE)
    yield case("byte-order-mark", b"\xef\xbb\xbf" + base.text(base.lines()), good, twin=WHOLE)
    yield case("bracket-in-trace-name", base.text(base.lines(), tail='"traceName": "a]}],\\"traceEvents\\": [b"'), good, twin=WHOLE)
    yield case("events-in-a-name", base.text(base.lines(), meta=base.META + ',\n"note": "\\"traceEvents\\": [{"'), good, twin=WHOLE)
    yield case("bare-array", ("[" + ",\n".join(base.lines()) + "]").encode(), Used())
    yield case("array-with-trailing-comma", ("[" + ",\n".join(base.lines()) + ",]").encode(), Used())
    yield case("array-never-closed", ("[" + ",\n".join(base.lines())).encode(), Used())
    yield case("one-line", base.text(base.lines()).replace(b"\n", b""), good, twin=WHOLE)
    yield case("text-numbers", base.text([line.replace('"ts":1900', '"ts":"1900"').replace('"tid":100', '"tid":"100"') for line in base.lines()]), good)
    yield case("exponents", base.text([line.replace('"ts":1000,', '"ts":1e3,').replace('"dur":200', '"dur":2.0E2') for line in base.lines()]), good, twin=WHOLE)
    yield case("huge-argument-integers", base.text([line.replace('"args":{', '"args":{"addr":18446744073709551616,"id":-9223372036854775809,') for line in base.lines()]), good, twin=WHOLE)
    yield case("stream-4294967295", base.text(base.lines() + [odd_kernel(tid=4294967295, args={"stream": 4294967295, "device": 0, "correlation": 77})]), Used())
    yield case("ids-beyond-64-bits", base.text([line.replace('"pid":4242', '"pid":36893488147419103232') for line in base.lines()]), good)
    yield case("child-ends-after-parent", base.text(base.lines() + [dumps(base.event("cpu_op", "late child", 100, 1150, 10.4))]), Used())
    yield case("partial-overlap", base.text(base.lines() + [dumps(base.event("cpu_op", "overlaps", 100, 1130, 100))]), Used())
    yield case("escaped-controls-in-name", base.text([line.replace("kernel0", "\\u001b[31m\\u202e\\u009b\\n") for line in base.lines()]), good)
    yield case("ten-kilobyte-name", base.text([line.replace("kernel0", "k" * 10000) for line in base.lines()]), good)
    yield case("empty-name", base.text([line.replace("kernel0", "") for line in base.lines()]), good)
    yield case("number-as-name", base.text([line.replace('"kernel0"', "17") for line in base.lines()]), Used())
    yield case("args-not-an-object", base.text(base.lines() + [odd_kernel(args="none"), odd_kernel(args=[1]), odd_kernel(args=7)]), Used())


HOSTILE = "\\u001b[31m\\u202e\\u009b2J\\nerror: forged\\u2028\\u0000</script>"


def hostile_names():
    """Names that would move the cursor of a terminal, reverse its text or imitate a line of output."""
    lines = [line.replace("kernel0", HOSTILE).replace("aten::op0", HOSTILE).replace("cudaLaunchKernel", "cudaLaunchKernel" + HOSTILE) for line in base.lines()]
    content = base.text(lines, meta=base.META + ',\n"host_name": "' + HOSTILE + '"')
    for words in (["replay"], ["critical-path", "--rows", "all"], ["critical-path", "--json"], ["replay", "--tasks", "--json"]):
        yield Case("kineto-hostile-names-" + "".join(words), {"rank0.json": content}, words + ["rank0.json"], printed)


def odd_members():
    good = Used()
    for name, meta in {
        "rank-as-text": '"distributedInfo": {"rank": "0", "world_size": "1"}',
        "rank-negative": '"distributedInfo": {"rank": -1, "world_size": 1}',
        "rank-huge": '"distributedInfo": {"rank": 1000000000000, "world_size": 9223372036854775807}',
        "rank-fraction": '"distributedInfo": {"rank": 0.5}',
        "info-a-string": '"distributedInfo": "none"',
        "info-an-array": '"distributedInfo": [0, 1]',
        "info-null": '"distributedInfo": null',
        "ranks-cut": '"distributedInfo": {"rank": 0, "world_size": 1, "pg_config": [{"pg_name": "0", "ranks": "[0, 1, ..."}]}',
        "base-time-text": '"baseTimeNanoseconds": "soon"',
        "base-time-huge": '"baseTimeNanoseconds": 99999999999999999999',
        "base-time-near-the-end": '"baseTimeNanoseconds": 9223372036854775807',
        "base-time-negative": '"baseTimeNanoseconds": -5',
        "properties-broken": '"deviceProperties": [{"id": "zero", "name": 5}, 7]',
        "metadata-hole": '"schemaVersion": , "displayTimeUnit": "ms"',
    }.items():
        yield case(name, base.text(base.lines(), meta=meta), good)
    yield case("events-twice", base.text(base.lines()).replace(b'"traceName"', b'"traceEvents": [], "traceName"'), good, twin=WHOLE)


def not_a_trace():
    for name, content in {
        "events-a-number": b'{"schemaVersion": 1, "traceEvents": 5}',
        "events-a-string": b'{"schemaVersion": 1, "traceEvents": "none"}',
        "events-an-object": b'{"schemaVersion": 1, "traceEvents": {"a": 1}}',
        "events-null": b'{"schemaVersion": 1, "traceEvents": null}',
        "no-events-key": b'{"schemaVersion": 1, "deviceProperties": []}',
        "empty-object": b"{}",
        "empty-array": b"[]",
        "no-events": base.text([]),
        "only-metadata-events": base.text(base.lines()[:1]),
        "a-number": b"17",
        "a-string": b'"hello"',
        "null": b"null",
        "plain-text": b"this is no trace at all\n",
        "html": b"<!doctype html><html><body>404</body></html>",
        "binary": bytes(range(256)) * 16,
        "nul-bytes": b"\x00" * 4096,
        "brace-only": b"{",
        "bracket-only": b"[",
        "utf16": base.text(base.lines()).decode().encode("utf-16"),
    }.items():
        yield case("not-a-trace-" + name, content, Refused(r"error: rank0\.json(@\d+)?: .*expected"))
    yield case("empty-file", b"", Refused(r"error: rank0\.json(@0)?: .*expected"))
    yield case("blank-file", b" \n\t \n", Refused(r"error: rank0\.json(@\d+)?: .*expected"))


def cut(name, offset, whole_events, tail=base.TAIL):
    """A file that is cut at `offset` gives the same result as a closed file with its complete events."""
    content = base.text(base.lines(), tail=tail)[:offset]
    twin = case(name + "-twin", base.text(base.lines()[:whole_events], tail=tail), Used())
    return case(name, content, Used({"truncated_file": 1}), twin=twin)


def cuts():
    lines = base.lines()
    content = base.text(lines)
    starts = []
    at = content.index(b"[\n") + 2
    for line in lines:
        starts.append(at)
        at += len(line) + 2
    for event in (9, 15, len(lines) - 1):
        length = len(lines[event])
        middle = {"brace": 1, "key": 3, "phase": 8, "category": 18, "name": lines[event].index('"name"') + 10, "pid": lines[event].index('"pid"') + 7,
                  "digit": lines[event].index('"ts"') + 7, "args": lines[event].index('"args"') + 8, "last-brace": length - 1}
        for where, offset in middle.items():
            yield cut(f"cut-event-{event}-{where}", starts[event] + offset, event)
        yield cut(f"cut-after-event-{event}", starts[event] + length, event + 1)
        yield cut(f"cut-after-comma-{event}", starts[event] + length + (1 if event + 1 < len(lines) else 0), event + 1)
    end = starts[-1] + len(lines[-1])
    yield cut("cut-before-bracket", end + 1, len(lines))
    yield cut("cut-after-bracket", end + 2, len(lines))
    yield cut("cut-in-tail", end + 12, len(lines))
    yield case("cut-in-metadata", content[:40], Refused(r"error: rank0\.json(@\d+)?: .*expected"))
    yield case("cut-at-events", content[: starts[0]], Refused(r"error: rank0\.json(@\d+)?: .*expected"))


def cases():
    yield WHOLE
    yield WITH_KERNEL
    for group in (unreadable_events, odd_events, odd_values, odd_steps, harmless, hostile_names, odd_members, not_a_trace, cuts):
        yield from group()
