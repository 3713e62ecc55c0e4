# SPDX-License-Identifier: GPL-2.0-or-later
"""A reader of OpenTelemetry's profiles, from the numbers of fields of opentelemetry-proto 1.10."""

import collections

from profile import UNKNOWN, base, fields, frame, in_brackets, numbers, signed, text_of, unpacked

# type, unit, period: (number, type, unit) or None; samples: [(frames, attributes, value)]
Profile = collections.namedtuple("Profile", "type unit time duration period attributes samples")


def message(data):
    """{number of a field: [values]}"""
    found = collections.defaultdict(list)
    for number, value in fields(data):
        found[number].append(value)
    return found


def one(of, number, default=0):
    return of[number][-1] if number in of else default


def packed(of, number):
    return [n for value in of.get(number, []) for n in numbers(value)]


class Dictionary:
    def __init__(self, data):
        tables = message(data)
        self.mappings, self.locations, self.functions, self.links = (
            [message(item) for item in tables[number]] for number in (1, 2, 3, 4))
        self.strings = [text_of(item) for item in tables[5]]
        self.attributes, self.stacks = ([message(item) for item in tables[n]] for n in (6, 7))
        for table in (self.mappings, self.locations, self.functions, self.attributes, self.stacks):
            if table[0]:
                raise ValueError("element 0 of a table is not the one that is nothing")
        if self.strings[0] or not self.links:
            raise ValueError("string 0 is not empty, or there is no link 0")

    def attributes_of(self, indices):
        found = {}
        for index in indices:
            item = self.attributes[index]
            key = self.strings[one(item, 1)]
            if key in found:
                raise ValueError(f"the attribute {key} is there twice")
            found[key] = any_value(one(item, 2, b""))
        return found

    def file_of(self, mapping):
        return self.strings[one(self.mappings[mapping], 4)] if mapping else ""

    def frames_at(self, index):
        """Root first."""
        location = self.locations[index]
        mapping, address = one(location, 1), one(location, 2)
        file = self.file_of(mapping)
        lines = [(self.function_name(one(line, 1)), signed(one(line, 2)))
                 for line in map(message, location.get(3, []))]
        if not lines:
            if address < one(self.mappings[mapping], 1):
                file = ""
            return [frame(in_brackets(file) if file else UNKNOWN, file, 0, False, False)]
        outer = len(lines) - 1
        return [frame(name, file, line, i < outer)
                for i, (name, line) in reversed(list(enumerate(lines)))]

    def function_name(self, index):
        function = self.functions[index]
        return self.strings[one(function, 1)] or self.strings[one(function, 2)]

    def stack(self, index):
        places = packed(self.stacks[index], 1)
        return [f for place in reversed(places) for f in self.frames_at(place)]

    def value_type(self, data):
        pair = message(data)
        return self.strings[one(pair, 1)], self.strings[one(pair, 2)]

    def profile(self, data):
        of = message(data)
        samples = []
        for sample in map(message, of[2]):
            (value,) = packed(sample, 4)
            samples.append((self.stack(one(sample, 1)), self.attributes_of(packed(sample, 2)),
                            signed(value)))
        period = (one(of, 6), *self.value_type(one(of, 5))) if 5 in of else None
        return Profile(*self.value_type(one(of, 1, b"")), one(of, 3), one(of, 4), period,
                       self.attributes_of(packed(of, 11)), samples)


def any_value(data):
    ((number, value),) = fields(data)
    return {1: text_of, 3: signed}[number](value)


def read_otlp(data):
    """(attributes of the resource, profiles)"""
    top = message(unpacked(data))
    dictionary = Dictionary(one(top, 2))
    (resource_profiles,) = map(message, top[1])
    resource = message(one(resource_profiles, 1))
    attributes = {}
    for item in map(message, resource[1]):
        attributes[text_of(one(item, 1))] = any_value(one(item, 2))
    (scope,) = map(message, resource_profiles[2])
    return attributes, [dictionary.profile(item) for item in scope[2]]


def events_of(profiles):
    """Those of two profiles each: (event, unit, [(frames, attributes, samples, events)])"""
    for counts, weights in zip(profiles[::2], profiles[1::2]):
        rows = []
        for (frames, attributes, count), (frames2, attributes2, events) in zip(
                counts.samples, weights.samples, strict=True):
            if (frames, attributes) != (frames2, attributes2):
                raise ValueError("the two profiles of an event have different samples")
            rows.append((frames, attributes, count, events))
        yield weights.type, weights.unit, rows


def program_of(attributes):
    path = attributes.get("process.executable.path", "")
    return base(path) if path else UNKNOWN
