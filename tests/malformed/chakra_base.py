"""A Chakra execution trace in Protobuf, written from et_def.proto, and functions that modify it."""
import json
import struct

COMPUTE, SEND, RECEIVE, COLLECTIVE = 4, 5, 6, 7


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def packed(field, values):
    return text(field, b"".join(varint(value) for value in values)) if values else b""


def attribute(name, value):
    if isinstance(value, bool):
        return text(10, text(1, name) + number(27, value))
    if isinstance(value, str):
        return text(10, text(1, name) + text(29, value))
    return text(10, text(1, name) + number(9, value))


def node(id, type=COMPUTE, name="n", data=(), control=(), micros=0, **attributes):
    fields = number(1, id) + text(2, name) + number(3, type) + packed(4, control) + packed(5, data) + number(7, micros)
    return fields + b"".join(attribute(key, value) for key, value in attributes.items())


def delimited(*messages):
    return b"".join(varint(len(message)) + message for message in messages)


METADATA = text(1, "0.0.4") + text(2, text(1, "schema") + text(29, "1.0.1"))


def trace(*nodes, metadata=METADATA):
    return delimited(metadata, *nodes)


# A host call of 10 us starts a kernel of 100 us, a collective of 20 us and a kernel of 50 us.
NODES = (node(1, micros=10, is_cpu_op=True, name="call"), node(2, data=(1,), micros=100, is_cpu_op=False, name="forward"),
         node(3, COLLECTIVE, data=(2,), micros=20, is_cpu_op=False, name="ncclDevKernel_AllReduce", comm_type=0, comm_size=1 << 20),
         node(4, data=(3,), micros=50, is_cpu_op=False, name="backward"))
MICROSECONDS = 180


def json_trace(*nodes, **members):
    return json.dumps({"workload_graph": list(nodes), **members}).encode()


def json_node(id, type=COMPUTE, data=(), **members):
    return {"Id": id, "Name": f"n{id}", "NodeType": type, "data_deps": list(data), **members}


def double(field, value):
    return varint(field << 3 | 1) + struct.pack("<d", value)
