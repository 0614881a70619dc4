"""Makes python/stepsim/fields.pyi: a class for each object of an answer, for type checkers and editors."""
import ast
import json
import keyword
import re

TYPES = {"integer": "int", "number": "float", "string": "str", "boolean": "bool", "null": "None"}

HEAD = '''"""Classes of the objects in answers: docs/generate.py makes them from `stepsim --json-schema`.

A class is named after the result and the members that lead to it: what_if().scenario.interval is a list of
WhatIfScenarioInterval. Objects with the same members have one class, named after the first of them. An absent member
raises AttributeError. A member whose name is a keyword of Python is an item only: row["class"].
"""

from typing import Any

from stepsim.result import Fields, Records
'''


def results(source):
    """The names of the answers of each class of results in answers.py: {"WhatIf": ["whatif"], ...}."""
    for node in ast.parse(source).body:
        for argument in getattr(node, "keywords", []):
            if argument.arg == "answers":
                yield node.name, ast.literal_eval(argument.value).split()


def camel(name):
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def singular(name):
    """The name of an element of a list: "classes" has elements "class"."""
    name = re.sub(r"ies$", "y", name)
    return re.sub(r"(?<=ss|ch)es$|(?<!s)s$", "", name)


class Classes:
    def __init__(self):
        self._names = {}
        self.lines = {}  # by the name of the class

    def type_of(self, schema, name):
        """The annotation of a value. A class for it would have this name."""
        kinds = schema.get("type", "string" if "const" in schema else [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        return " | ".join(self._type_of(kind, schema, name) for kind in kinds) or "Any"

    def _type_of(self, kind, schema, name):
        if kind == "array":
            return f"Records[{self.type_of(schema['items'], singular(name))}]"
        if kind != "object":
            return TYPES[kind]
        if "properties" not in schema:
            return f"Fields[{self.type_of(schema['additionalProperties'], name)}]"
        shape = json.dumps([schema["properties"], schema["required"]])
        if shape not in self._names:
            self._names[shape] = camel(name)
            self.add(camel(name), {name: schema})
        return self._names[shape]

    def add(self, name, schemas):
        """Adds a class for objects that match one of several schemas, {the start of its members' classes: schema}."""
        if name in self.lines:
            raise SystemExit(f"two classes of python/stepsim/fields.pyi would be called {name}; rename a member")
        self.lines[name] = []  # before those of its members
        for member in dict.fromkeys(member for schema in schemas.values() for member in schema["properties"]):
            kinds = [self.type_of(schema["properties"][member], f"{start}_{member}")
                     for start, schema in schemas.items() if member in schema["properties"]]
            line = f'# ["{member}"]: ' if keyword.iskeyword(member) else f"{member}: "
            line += " | ".join(dict.fromkeys(kinds))
            line += "" if all(member in schema["required"] for schema in schemas.values()) else "  # may be absent"
            self.lines[name].append(line)


def stub(schema, source):
    """The text of fields.pyi for the JSON Schema of the answers and the source of answers.py."""
    answers = {answer["title"].removeprefix("stepsim.").split("/")[0]: answer for answer in schema["oneOf"]}
    classes = Classes()
    for name, of in results(source):
        classes.add(name, {name if len(of) == 1 else each: answers[each] for each in of})
    return HEAD + "".join("\n".join([f"\nclass {name}(Fields[Any]):", *(f"    {line}" for line in lines)]) + "\n"
                          for name, lines in classes.lines.items())
