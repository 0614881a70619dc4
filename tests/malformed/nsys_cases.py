"""Databases of Nsight Systems that are damaged, hostile or of another schema."""
import gzip
import io
import random
import struct
import tarfile

import nsys_base as base
from case import Case, Refused, Used

WHOLE_BYTES = base.database()
REFUSED = Refused(r"error: t\.sqlite(@\d+)?: .*expected")


def case(name, content, verdict, path="t.sqlite", **options):
    return Case("nsys-" + name, {path: content}, ["replay", path, "--json"], verdict, **options)


WHOLE = case("whole", WHOLE_BYTES, Used(skipped=0, events=base.EVENTS))


def used_or_refused(run):
    """Exit 0 or 1: a damaged file may be used or refused."""
    return None if run.code in (0, 1) else f"exit {run.code}"


def patched(content, *patches):
    """`content` with other bytes at some offsets."""
    out = bytearray(content)
    for offset, value in patches:
        out[offset:offset + len(value)] = value
    return bytes(out)


def framing():
    yield WHOLE
    yield case("gzip", gzip.compress(WHOLE_BYTES, mtime=0), Used(skipped=0), path="t.sqlite.gz", twin=WHOLE)
    yield case("other-page-size", base.database(page_size=65536), Used(skipped=0), twin=WHOLE)
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        member = tarfile.TarInfo("run/t.sqlite")
        member.size = len(WHOLE_BYTES)
        tar.addfile(member, io.BytesIO(WHOLE_BYTES))
    yield case("in-an-archive", archive.getvalue(), Used(skipped=0), path="t.tar.gz", twin=WHOLE)
    yield case("report", b"\x00\x01\x02nsys", Refused(r"Nsight Systems report, .*nsys export --type sqlite"), path="r.nsys-rep")
    yield case("database-of-others", base.database(without=("CUPTI", "NVTX")), Refused(r"a SQLite database|no table of Nsight Systems"))
    for size in (0, 1, 15, 16, 99, 100, 101, 511, 512, 513, 1024, len(WHOLE_BYTES) // 2, len(WHOLE_BYTES) - 512, len(WHOLE_BYTES) - 1):
        yield case(f"cut-at-{size}", WHOLE_BYTES[:size], Refused(r"error: t\.sqlite(@\d+)?: .*expected"))
    yield case("cut-gzip", gzip.compress(WHOLE_BYTES, mtime=0)[:-400], Refused(r"error: t\.sqlite\.gz(@\d+)?: .*expected"), path="t.sqlite.gz")
    yield case("garbage-behind", WHOLE_BYTES + b"garbage" * 100, used_or_refused)


def headers():
    for name, offset, value in (("page-size-0", 16, b"\x00\x00"), ("page-size-3", 16, b"\x00\x03"), ("page-size-64", 16, b"\x00\x40"), ("version-9", 18, b"\x09\x09"),
                                ("reserved-255", 20, b"\xff"), ("fractions", 21, b"\xff\xff\xff"), ("pages-0", 28, bytes(4)), ("pages-many", 28, b"\x7f\xff\xff\xff"),
                                ("free-list-everywhere", 32, struct.pack(">II", 2, 99)), ("schema-format-9", 44, struct.pack(">I", 9)),
                                ("encoding-9", 56, struct.pack(">I", 9)), ("vacuum", 52, struct.pack(">I", 3)), ("magic", 0, b"SQLite format 4"),
                                ("root-leaf-of-an-index", 100, b"\x0a"), ("root-has-65535-cells", 103, b"\xff\xff"), ("root-cells-at-0", 108, bytes(8))):
        yield case("header-" + name, patched(WHOLE_BYTES, (offset, value)), used_or_refused)
    yield case("header-log", patched(WHOLE_BYTES, (18, b"\x02\x02")), Used({"log_not_read": 1}, skipped=0), twin=WHOLE)


def damaged_pages():
    rng = random.Random(14)
    for number in range(30):
        patches = [(rng.randrange(100, len(WHOLE_BYTES)), bytes([rng.randrange(256)])) for _ in range(1 + number % 5)]
        yield case(f"flipped-{number}", patched(WHOLE_BYTES, *patches), used_or_refused)
    for page in range(2, len(WHOLE_BYTES) // 512, 3):
        yield case(f"page-{page}-zero", patched(WHOLE_BYTES, ((page - 1) * 512, bytes(512))), used_or_refused)
        yield case(f"page-{page}-is-page-2", patched(WHOLE_BYTES, ((page - 1) * 512, WHOLE_BYTES[512:1024])), used_or_refused)
    long_text = base.database("INSERT INTO StringIds VALUES (9, printf('%.*c', 3000, 'x'))")
    last = len(long_text) // 512
    yield case("text-in-a-circle", patched(long_text, ((last - 2) * 512, struct.pack(">I", last - 2))), Refused(r"damaged: .*expected"))


def schemas():
    for table in base.TABLES:
        if table == "StringIds" or table.startswith("TARGET") or table in ("CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS"):
            yield case(f"without-{table}", base.database(without=(table,)), Used({f"missing table: {table}": 1}, skipped=0))
    for what, table, column in (("missing column", "CUPTI_ACTIVITY_KIND_KERNEL", "end"), ("missing column", "CUPTI_ACTIVITY_KIND_RUNTIME", "globalTid"),
                                ("column not written", "CUPTI_ACTIVITY_KIND_KERNEL", "correlationId"), ("column not written", "NVTX_EVENTS", "text")):
        yield case(f"without-{table}-{column}", base.database(f"ALTER TABLE {table} DROP COLUMN {column}"), Used({f"{what}: {table}.{column}": 1}, skipped=0))
    yield case("only-strings", base.database("CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT)", without=("CUPTI", "NVTX")), REFUSED)
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS start, x + 1 AS end, 59 AS eventType, 'a' AS text, 1 AS globalTid, 1 AS textId, NULL AS binaryData FROM n"
    yield case("endless-view", base.database(f"CREATE VIEW NVTX_EVENTS AS {endless}", without=("NVTX",)), Used({"missing table: NVTX_EVENTS": 1}, skipped=0))
    yield case("virtual-table", base.database("CREATE VIRTUAL TABLE NVTX_EVENTS USING fts5(start)", without=("NVTX",)), Used({"missing table: NVTX_EVENTS": 1}))
    yield case("computed-column", base.database("CREATE TABLE bomb (a, b TEXT AS (hex(zeroblob(200000000))) NOT NULL)", "INSERT INTO bomb(a) VALUES (1)"), Refused(r"computed; expected"))
    yield case("constraint-to-run", base.database("CREATE TABLE bomb (a, CHECK (length(hex(zeroblob(a))) >= 0))", ("INSERT INTO bomb VALUES (?)", [(1,)] * 50), "UPDATE bomb SET a = 1"), Used(skipped=0))
    yield case("index-to-run", base.database("CREATE INDEX bomb ON NVTX_EVENTS (hex(text))"), Used(skipped=0), twin=WHOLE)
    yield case("trigger", base.database("CREATE TRIGGER t AFTER INSERT ON StringIds BEGIN DELETE FROM StringIds; END"), Used(skipped=0), twin=WHOLE)
    yield case("without-rowid", base.database("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT) WITHOUT ROWID", "INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'f'), (3, 'cudaStreamSynchronize')", without=("StringIds",)), Used(skipped=0), twin=WHOLE)
    yield case("schema-is-no-sql", base.database("UPDATE sqlite_master SET sql = 'CREATE TABLE (' WHERE name = 'NVTX_EVENTS'", unsafe=True), used_or_refused)
    yield case("two-tables-in-one-place", base.database("UPDATE sqlite_master SET rootpage = 2 WHERE name = 'NVTX_EVENTS'", unsafe=True), REFUSED)
    yield case("table-outside", base.database("UPDATE sqlite_master SET rootpage = 999999 WHERE name = 'NVTX_EVENTS'", unsafe=True), REFUSED)
    yield case("5000-tables", base.database(*(f"CREATE TABLE t{i} (start INTEGER)" for i in range(5000))), Used(skipped=0), twin=WHOLE)
    yield case("2000-columns-of-nothing", base.database(f"CREATE TABLE wide (start, {', '.join(f'c{i} NOT NULL DEFAULT 0' for i in range(1999))})", page_size=4096), Used(skipped=0), twin=WHOLE)
    yield case("hostile-names", base.database("CREATE TABLE \"CUPTI_\x1b[31m'; DROP TABLE StringIds; --\" (start INTEGER)", "INSERT INTO \"CUPTI_\x1b[31m'; DROP TABLE StringIds; --\" VALUES (1)"), Used(skipped=0), twin=WHOLE)


def rows():
    p, t = base.pid(20), base.tid(20)
    kernel = "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({}, {}, {}, 1, {}, {}, {}, 2, 2, 40, 8, 1, 1, 64, 1, 1, 0, 0)"
    most, least = (1 << 63) - 1, -(1 << 63)
    bad = Used({"bad_row": 1}, skipped=1)
    for name, start, end in (("backwards", 9000, 8000), ("no-time", 0, 0), ("far", most - 1, most), ("long-ago", least, least + 1), ("forever", least, most), ("a-month", 1, 30 * 86400 * 10**9)):
        yield case(f"kernel-{name}", base.database(kernel.format(start, end, 0, 7, 1, p)), bad, twin=WHOLE)
    for name, value in (("text", "'soon'"), ("null", "NULL"), ("real", "1.5"), ("blob", "x'00'")):
        yield case(f"kernel-start-is-{name}", base.database(kernel.format(value, 70000, 0, 7, 1, p)), bad, twin=WHOLE)
    for name, values in (("device", (62500, 63000, most, 7, 1, p)), ("stream", (62500, 63000, 0, least, 1, p)), ("correlation", (62500, 63000, 0, 7, most, p)), ("process", (62500, 63000, 0, 7, 1, most)),
                         ("negative-process", (62500, 63000, 0, 7, 1, least))):
        yield case(f"kernel-huge-{name}", base.database(kernel.format(*values)), used_or_refused)
    yield case("unknown-sync", base.database(f"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (62000, 62500, 0, 1, 7, 99, {p}, 77, 0)"), bad, twin=WHOLE)
    yield case("event-not-recorded", base.database(f"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (62000, 62500, 0, 1, 7, 99, {p}, 2, 5)"), Used({"event_not_recorded": 1}, skipped=0), twin=WHOLE)
    yield case("event-that-waits-for-itself", base.database(f"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (62000, 62500, 0, 1, 7, 2, {p}, 2, 5)", f"INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (7, 2, {p}, 5)"), Used(skipped=0))
    yield case("names-of-nothing", base.database("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = 99, shortName = NULL"), Used(skipped=0))
    yield case("two-texts-of-one-number", base.database("CREATE TABLE StringIds (id INTEGER, value TEXT)", "INSERT INTO StringIds VALUES (2, 'f'), (2, 'g'), (1, 'cudaLaunchKernel'), (3, 'cudaStreamSynchronize')", without=("StringIds",)), Used(skipped=0), twin=WHOLE)
    yield case("name-of-5-mb", base.database("UPDATE StringIds SET value = printf('%.*c', 5000000, 'f') WHERE id = 2", page_size=4096), Used(skipped=0), twin=WHOLE)
    yield case("name-with-controls", base.database("UPDATE StringIds SET value = 'a' || char(27) || '[31m' || char(10, 0, 8238) WHERE id = 2"), Used(skipped=0), twin=WHOLE)
    yield case("name-is-no-utf-8", base.database("UPDATE StringIds SET value = CAST(x'fffe00c328' AS TEXT) WHERE id = 2"), Used(skipped=0), twin=WHOLE)
    yield case("range-of-5-mb", base.database(f"INSERT INTO NVTX_EVENTS VALUES (2100, 2200, 59, printf('%.*c', 5000000, 'r'), {t}, NULL, NULL)", page_size=4096), Used(skipped=0))
    yield case("steps-that-overlap", base.database(("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, ?, ?, NULL, NULL)", [(1000 + i, 99000 + i, f"iteration {i}", t) for i in range(300)])), Used(skipped=0))
    yield case("steps-with-huge-numbers", base.database(f"UPDATE NVTX_EVENTS SET text = 'step 9223372036854775807' WHERE text = 'step 3'"), Used(skipped=0))
    yield case("ranges-inside-each-other", base.database(("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, 'r', ?, NULL, NULL)", [(2001 + i, 98999 - i, t) for i in range(20000)]), page_size=4096), Used(skipped=0))
    yield case("kernels-of-one-call", base.database(("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, 7, 1, ?, 2, 2, 40, 8, 1, 1, 64, 1, 1, 0, 0)", [(60001 + i, 60002 + i, p) for i in range(20000)]), page_size=4096), Used(skipped=0))
    yield case("calls-of-one-number", base.database(("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, 1, 1)", [(60600 + i, 60601 + i, t) for i in range(20000)]), page_size=4096), Used(skipped=0))
    yield case("5000-processes", base.database(("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (60600, 60601, ?, 1, 1)", [(base.tid(1000 + i),) for i in range(5000)]), page_size=4096), Used({"process_not_used": 5000}, skipped=0), twin=WHOLE)
    for name, payload in (("short", "x'0011'"), ("text", "'payload'"), ("zeros", "zeroblob(64)"), ("ones", "x'" + "ff" * 64 + "'")):
        schemas_table = "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (schemaId INTEGER, type INTEGER, name TEXT, offset INTEGER)"
        entries = f"INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (0, 22, 'Message size [bytes]', {most}), (4294967295, 18, 'NCCL communicator ID', 0), (4294967295, 5, 'No. of ranks', 8), (4294967295, 5, 'Rank', -1), (-1, 18, 'x', 0)"
        yield case(f"payload-{name}", base.database(schemas_table, entries, f"INSERT INTO NVTX_EVENTS VALUES (2900, 8500, 59, 'ncclAllReduce', {t}, NULL, {payload})"), Used(skipped=0))


def cases():
    for group in (framing, headers, damaged_pages, schemas, rows):
        yield from group()
