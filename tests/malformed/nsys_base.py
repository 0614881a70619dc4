"""A small export of Nsight Systems: two processes, each with two calls, kernels and a step."""
import sqlite3

WORK = "start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER"
TABLES = {
    "StringIds": "id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL",
    "TARGET_INFO_SESSION_START_TIME": "utcEpochNs INTEGER",
    "CUPTI_ACTIVITY_KIND_KERNEL": WORK + ", demangledName INTEGER, shortName INTEGER, registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, "
                                  "blockX INTEGER, blockY INTEGER, blockZ INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory INTEGER",
    "CUPTI_ACTIVITY_KIND_MEMCPY": WORK + ", bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER",
    "CUPTI_ACTIVITY_KIND_RUNTIME": "start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": WORK + ", syncType INTEGER, eventSyncId INTEGER",
    "CUPTI_ACTIVITY_KIND_CUDA_EVENT": "streamId INTEGER, correlationId INTEGER, globalPid INTEGER, eventSyncId INTEGER",
    "NVTX_EVENTS": "start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, textId INTEGER, binaryData BLOB",
}
PROCESSES = (20, 30)
EVENTS = 14  # 7 rows per process


def pid(process):
    return (1 << 48) + (process << 24)


def tid(process):
    return pid(process) + process


def statements():
    for name, columns in TABLES.items():
        yield f"CREATE TABLE {name} ({columns})"
    yield "INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'f'), (3, 'cudaStreamSynchronize_v3020')"
    yield "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000)"
    for k, p in enumerate(PROCESSES):
        yield f"INSERT INTO NVTX_EVENTS VALUES (1000, 99000, 59, 'step 3', {tid(p)}, NULL, NULL), (2000, 9000, 59, 'aten::mm, op_id = 7', {tid(p)}, NULL, NULL)"
        yield f"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (3000, 8000, {tid(p)}, 1, 1), (10000, 60500, {tid(p)}, 2, 3)"
        yield f"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (9000, 60000, {k}, {k + 1}, 7, 1, {pid(p)}, 2, 2, 40, 8, 1, 1, 64, 1, 1, 0, 0)"
        yield f"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (61000, 62000, {k}, {k + 1}, 7, 9, {pid(p)}, 4096, 1, 1, 2)"
        yield f"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (10000, 60400, 0, {k + 1}, 7, 2, {pid(p)}, 3, 0)"


def database(*more, page_size=512, without=(), unsafe=False):
    """Returns the bytes of the export after the statements `more`. Statements that contain a text in `without` are
    left out."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute(f"PRAGMA page_size={page_size}")
    if unsafe:
        connection.execute("PRAGMA writable_schema=ON")
    for sql in [s for s in statements() if not any(part in s for part in without)] + list(more):
        if isinstance(sql, tuple):
            connection.executemany(*sql)
        else:
            connection.execute(sql)
    return serialize(connection)


def serialize(connection):
    if hasattr(connection, "serialize"):
        return connection.serialize()
    import os  # Python before 3.11
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "copy")
        copy = sqlite3.connect(path)
        connection.backup(copy)
        copy.close()
        with open(path, "rb") as file:
            return file.read()
