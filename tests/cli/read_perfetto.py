"""An independent reader of Perfetto traces: protocol buffers with the field numbers of perfetto_trace.proto, as far as
timelines need them."""
import collections

Track = collections.namedtuple("Track", "name parent process labels is_counter")
Slice = collections.namedtuple("Slice", "track name category start end notes flows")


def fields(data):
    """Returns [(number, value)] of a message. Values are ints or bytes."""
    at, found = 0, []

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value
    while at < len(data):
        key = varint()
        if key & 7 == 0:
            value = varint()
        elif key & 7 == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        elif key & 7 == 2:
            size = varint()
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"wire type {key & 7}")
        found.append((key >> 3, value))
    assert at == len(data)
    return found


def one(message):
    """Returns {number: value} for a message in which no field is repeated."""
    found = fields(message)
    assert len({number for number, _ in found}) == len(found), found
    return dict(found)


def signed(number):
    return number - (1 << 64) if number >> 63 else number


class Trace:
    """A trace: tracks {uuid: Track}, slices, instants [(track, name, notes)], counts {track: [(time, value)]}."""

    def __init__(self, data):
        self.tracks, self.slices, self.instants = {}, [], []
        self.counts = collections.defaultdict(list)
        self.names, self.categories, self.open = {}, {}, {}
        for number, packet in fields(data):
            assert number == 1
            self.packet(one(packet))
        assert not self.open, "a slice without an end"

    def packet(self, packet):
        assert packet[10] == 1, "trusted_packet_sequence_id"
        for number, entry in fields(packet.get(12, b"")):
            entry = one(entry)
            {1: self.categories, 2: self.names}[number][entry[1]] = entry[2].decode()
        if 60 in packet:
            self.track(one(packet[60]))
        if 11 in packet:
            self.event(fields(packet[11]), packet[8])

    def track(self, track):
        process = one(track.get(3, b""))
        self.tracks[track[1]] = Track(track.get(2, b"").decode(), track.get(5), process.get(6, b"").decode(), process.get(8, b"").decode(), 8 in track)

    def event(self, event, time):
        plain = {number: value for number, value in event if number not in (4, 47)}
        kind, track = plain[9], plain[11]
        assert track in self.tracks, "an event before its track"
        if kind == 4:
            self.counts[track].append((time, signed(plain[30])))
        elif kind == 2:
            begin = self.open.pop(track)
            assert time >= begin.start, "a slice that ends before it begins"
            self.slices.append(begin._replace(end=time))
        else:
            notes = [one(value) for number, value in event if number == 4]
            notes = [(note[10].decode(), signed(note[4]) if 4 in note else note[6].decode()) for note in notes]
            flows = [value for number, value in event if number == 47]
            name = self.names[plain[10]]
            if kind == 3:
                self.instants.append((track, name, notes))
            else:
                assert track not in self.open, "slices of one track overlap"
                self.open[track] = Slice(track, name, self.categories[plain[3]], time, None, dict(notes), flows)
