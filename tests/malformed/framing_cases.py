"""Errors before a format reads the file: gzip, special files, folders."""
import gzip
import os
import zlib

import kineto_base as base
import kineto_cases
from case import Case, Refused, Used, no_file

CONTENT = base.text(base.lines())
PACKED = gzip.compress(CONTENT, mtime=0)


def case(name, files, verdict, arguments=None, **options):
    return Case("framing-" + name, files, arguments or ["replay", next(iter(files)), "--json"], verdict, **options)


def gz(name, content, verdict, **options):
    return case("gzip-" + name, {"rank0.json.gz": content}, verdict, **options)


def gzips():
    whole = kineto_cases.WHOLE
    refused = Refused(r"error: rank0\.json\.gz(@\d+)?: .*expected")
    yield gz("whole", PACKED, Used(skipped=0), twin=whole)
    yield gz("two-members", gzip.compress(CONTENT[:700], mtime=0) + gzip.compress(CONTENT[700:], mtime=0), Used(skipped=0), twin=whole)
    yield gz("empty-member-between", gzip.compress(CONTENT[:700], mtime=0) + gzip.compress(b"", mtime=0) + gzip.compress(CONTENT[700:], mtime=0), Used(skipped=0), twin=whole)
    yield gz("zero-padding-behind", PACKED + bytes(512), Used(), twin=whole)
    yield gz("garbage-behind", PACKED + b"garbage", Used(), twin=whole)
    yield gz("with-name-and-comment", b"\x1f\x8b\x08\x18" + bytes(4) + b"\x00\xff" + b"name\x00comment\x00" + PACKED[10:], Used(skipped=0), twin=whole)
    yield gz("extra-field", b"\x1f\x8b\x08\x04" + bytes(4) + b"\x00\xff" + b"\x04\x00abcd" + PACKED[10:], Used(skipped=0), twin=whole)
    yield gz("not-packed-at-all", CONTENT, Used(skipped=0), twin=whole)
    yield case("gzip-without-the-name", {"rank0.json": PACKED}, Used(skipped=0), twin=whole)
    yield gz("cut-in-trailer", PACKED[:-5], Used({"damaged_gzip": 1}), twin=whole)
    yield gz("cut-in-half", gzip_cut(0.9), Used({"truncated_file": 1}))
    yield gz("wrong-checksum", PACKED[:-8] + bytes(4) + PACKED[-4:], Used({"damaged_gzip": 1}), twin=whole)
    yield gz("wrong-length", PACKED[:-4] + b"\x01\x02\x03\x04", Used({"damaged_gzip": 1}), twin=whole)
    yield gz("header-only", PACKED[:10], refused)
    yield gz("half-a-header", PACKED[:5], refused)
    yield gz("two-bytes", PACKED[:2], refused)
    yield gz("method-9", PACKED[:2] + b"\x09" + PACKED[3:], refused)
    yield gz("reserved-flags", PACKED[:3] + b"\xe0" + PACKED[4:], Used(), twin=whole)
    yield gz("first-block-broken", PACKED[:10] + b"\xff" * 64, refused)
    yield gz("of-nothing", gzip.compress(b"", mtime=0), refused)
    yield gz("of-gzip", gzip.compress(PACKED, mtime=0), refused)
    yield gz("zlib-stream", zlib.compress(CONTENT), refused)
    yield gz("zip-magic", b"PK\x03\x04" + bytes(60), refused)
    yield gz("zstd-magic", b"\x28\xb5\x2f\xfd" + bytes(60), refused)


def frame(content):
    """Returns a frame of Zstandard with the content stored uncompressed in blocks of 64 bytes (RFC 8878, 3.1.1)."""
    blocks = [content[i:i + 64] for i in range(0, len(content), 64)]
    headers = [(len(block) << 3 | (i + 1 == len(blocks))).to_bytes(3, "little") for i, block in enumerate(blocks)]
    return b"\x28\xb5\x2f\xfd\xa0" + len(content).to_bytes(4, "little") + b"".join(h + b for h, b in zip(headers, blocks))


def zsts():
    whole = kineto_cases.WHOLE
    packed = frame(CONTENT)
    refused = Refused(r"error: rank0\.json\.zst(@\d+)?: .*expected")

    def zst(name, content, verdict, **options):
        return case("zst-" + name, {"rank0.json.zst": content}, verdict, **options)
    yield zst("whole", packed, Used(skipped=0), twin=whole)
    yield zst("two-frames", frame(CONTENT[:700]) + frame(CONTENT[700:]), Used(skipped=0), twin=whole)
    yield zst("skippable-frame-behind", packed + b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd", Used(skipped=0), twin=whole)
    # libarchive decodes 128 KiB at a time, so a cut within the first of them leaves nothing.
    yield zst("cut-in-half", packed[:len(packed) // 2], refused)
    yield zst("cut-far-behind", (packed_far := frame(CONTENT[:-2] + b" " * 400000))[:len(packed_far) // 2], Used({"truncated_file": 1}))
    yield zst("header-only", packed[:9], refused)
    yield zst("reserved-block", packed[:9] + b"\x07\x02\x00" + packed[12:], refused)
    yield zst("of-gzip", frame(PACKED), refused)
    yield case("zst-window-of-2-gib", {"rank0.json.zst": b"\x28\xb5\x2f\xfd\x00\xa8" + packed[9:]}, refused, mebibytes=512)


def gzip_cut(share):
    """Returns the first `share` of a gzip file with many small blocks, so that complete events come before the cut."""
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    out = b""
    for i in range(0, len(CONTENT), 64):
        out += packer.compress(CONTENT[i:i + 64]) + packer.flush(zlib.Z_FULL_FLUSH)
    return out[:int(len(out) * share)]


def fifo(path):
    os.mkfifo(path)


def folder(path):
    os.mkdir(path)


def loop(path):
    os.symlink(os.path.basename(path), path)


def link_to_parent(path):
    os.symlink("..", path)


def dangling(path):
    os.symlink("nowhere", path)


def special_files():
    yield case("missing", {"other.json": CONTENT}, no_file("rank0.json"), ["replay", "rank0.json", "--json"])
    yield case("missing-with-controls", {"other.json": CONTENT}, Refused(r"\\x1b.*expected"), ["replay", "a\x1b[31m.json", "--json"])
    yield case("device", {"other.json": CONTENT}, no_file("device"), ["replay", "/dev/zero", "--json"])
    yield case("dev-null", {"other.json": CONTENT}, no_file("device"), ["replay", "/dev/null", "--json"])
    yield case("symlink-loop", {"rank0.json": loop}, no_file("loop"))
    yield case("dangling-symlink", {"rank0.json": dangling}, no_file("dangling"))
    yield case("path-through-a-file", {"rank0.json": CONTENT}, no_file("through"), ["replay", "rank0.json/x", "--json"])
    yield case("path-too-long", {"rank0.json": CONTENT}, no_file("long"), ["replay", "x" * 5000, "--json"])


def folders():
    whole = kineto_cases.WHOLE
    here = ["replay", "capture", "--json"]
    yield case("folder-empty", {"capture": folder}, no_file("empty"), here)
    yield case("folder-of-empty-folders", {"capture/a/b/c": folder}, no_file("empty"), here)
    yield case("folder-without-traces", {"capture/notes.txt": b"hello", "capture/picture.png": b"\x89PNG\r\n"}, no_file("no trace"), here)
    yield case("folder-with-others", {"capture/rank0.json": CONTENT, "capture/notes.txt": b"hello"}, Used(), here, twin=whole)
    yield case("folder-with-broken-neighbour", {"capture/rank0.json": CONTENT, "capture/rank1.json": b'{"traceEvents": 5}'}, Refused(r"error: capture/rank1\.json@\d+: .*expected"), here)
    yield case("folder-with-fifo", {"capture/rank0.json": CONTENT, "capture/rank1.json": fifo}, Used(), here, twin=whole)
    yield case("folder-with-symlink-loop", {"capture/rank0.json": CONTENT, "capture/x": loop, "capture/up": link_to_parent}, Used(), here, twin=whole)
    yield case("folder-deep", {"capture/" + "d/" * 200 + "rank0.json": CONTENT}, Used(), here, twin=whole)
    yield case("folder-of-hostile-names", {"capture/a\n\x1b[31m;rm -rf.json": CONTENT, "capture/$(touch PWNED).txt": b"x"}, Used(), here, twin=whole)
    yield case("the-same-file-twice", {"rank0.json": CONTENT}, Used(), ["replay", "rank0.json", "rank0.json", "--json"], twin=whole)
    yield case("two-files-of-one-rank", {"a.json": CONTENT, "b.json": CONTENT.replace(b"kernel0", b"kernelX")}, Refused(r"error: .*rank"), ["replay", "a.json", "b.json", "--json"])
    yield case("steps-that-are-not-there", {"rank0.json": CONTENT}, Refused(r"error: .*--steps.*", code=2), ["replay", "rank0.json", "--steps", "70-80", "--json"])
    yield case("ranks-that-are-not-there", {"rank0.json": CONTENT}, Refused(r"error: .*--ranks.*", code=2), ["replay", "rank0.json", "--ranks", "3", "--json"])


def cases():
    for group in (gzips, zsts, special_files, folders):
        yield from group()
