"""An independent reader of Parquet files, written from parquet.thrift and thrift-compact-protocol.md: optional INT64,
DOUBLE and UTF-8 columns, PLAIN and RLE_DICTIONARY, uncompressed or gzip, data pages of version 1. Anything else is
an error."""
import gzip
import struct


class Thrift:
    """A reader of the compact protocol. A struct becomes {field number: value}."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def zigzag(self):
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def binary(self):
        size = self.varint()
        self.at += size
        return self.data[self.at - size:self.at]

    def value(self, kind):
        if kind in (4, 5, 6):
            return self.zigzag()
        if kind == 8:
            return self.binary()
        if kind == 9:
            head = self.byte()
            size = self.varint() if head >> 4 == 15 else head >> 4
            return [self.value(head & 15) for _ in range(size)]
        if kind == 12:
            return self.struct()
        raise ValueError(f"Thrift type {kind}")

    def struct(self):
        fields, number = {}, 0
        while True:
            head = self.byte()
            if head == 0:
                return fields
            number = number + (head >> 4) if head >> 4 else self.zigzag()
            fields[number] = self.value(head & 15)


def hybrid(data, at, end, width, count):
    """Returns the numbers of a sequence of runs and packed bits."""
    numbers, reader = [], Thrift(data, at)
    size = (width + 7) // 8
    while len(numbers) < count and reader.at < end:
        head = reader.varint()
        if head & 1:
            length = (head >> 1) * width
            bits = int.from_bytes(data[reader.at:reader.at + length], "little")
            numbers += [bits >> (i * width) & ((1 << width) - 1) for i in range((head >> 1) * 8)]
            reader.at += length
        else:
            numbers += [int.from_bytes(data[reader.at:reader.at + size], "little")] * (head >> 1)
            reader.at += size
    return numbers[:count]


def page(data, at, codec):
    """Returns (header, its content, where the next page begins)."""
    reader = Thrift(data, at)
    header = reader.struct()
    packed = data[reader.at:reader.at + header[3]]
    body = gzip.decompress(packed) if codec == 2 else packed
    assert len(body) == header[2], "uncompressed_page_size"
    return header, body, reader.at + header[3]


def plain(body, kind, count):
    if kind in (2, 5):
        return list(struct.unpack(f"<{count}{'q' if kind == 2 else 'd'}", body[:8 * count]))
    words, at = [], 0
    for _ in range(count):
        size, = struct.unpack_from("<I", body, at)
        words.append(body[at + 4:at + 4 + size].decode())
        at += 4 + size
    assert at == len(body), "bytes behind the last word"
    return words


def column(data, meta):
    kind, codec, dictionary, at = meta[1], meta[4], None, meta.get(11, meta[9])
    begin = at
    if 11 in meta:
        header, body, at = page(data, at, codec)
        assert header[1] == 2 and header[7][2] == 0, header
        dictionary = plain(body, kind, header[7][1])
    assert at == meta[9], "data_page_offset"
    header, body, at = page(data, at, codec)
    assert header[1] == 0 and header[5][3] == 3 and at - begin == meta[7], header
    count = header[5][1]
    size, = struct.unpack_from("<I", body, 0)
    present = hybrid(body, 4, 4 + size, 1, count)
    assert len(present) == count
    rest = body[4 + size:]
    if header[5][2] == 8:
        places = hybrid(rest, 1, len(rest), rest[0], sum(present))
        values = iter([dictionary[place] for place in places])
    else:
        values = iter(plain(rest, kind, sum(present)))
    return [next(values) if there else None for there in present]


def read(path):
    """Returns ({column: values}, {key: value of the file's metadata})."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:4] == data[-4:] == b"PAR1"
    size, = struct.unpack("<I", data[-8:-4])
    footer = Thrift(data[-8 - size:-8]).struct()
    root, names = footer[2][0], [element[4].decode() for element in footer[2][1:]]
    assert root[5] == len(names), "num_children"
    columns = {name: [] for name in names}
    for group in footer[4]:
        for name, chunk in zip(names, group[1]):
            meta = chunk[3]
            assert meta[3] == [name.encode()] and meta[5] == group[3]
            values = column(data, meta)
            assert len(values) == group[3]
            columns[name] += values
    assert all(len(values) == footer[3] for values in columns.values()), "num_rows"
    return columns, {entry[1].decode(): entry[2].decode() for entry in footer[5]}
