"""Results of commands: the fields of --json as attributes, and the other forms of an answer."""

from __future__ import annotations

import base64
import functools
import html
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, Union

from stepsim import _core, meanings, messages, optional, plots
from stepsim._core import UsageError

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

Value = TypeVar("Value", covariant=True)
Element = TypeVar("Element")


@functools.lru_cache(maxsize=None)
def _descriptions():
    """Returns a sentence on each member of each answer, and whether it is an object, by its path:
    "replay.iteration.measured_ns"."""
    terms = _core.glossary()

    def members(schema, path):
        for one in [*schema.get("oneOf", []), *schema.get("anyOf", []), *filter(None, [schema.get("items")])]:
            yield from members(one, path)
        for name, member in schema.get("properties", {}).items():
            at = f"{path}.{name}"
            kinds = [each.get("type", []) for each in [member, *member.get("oneOf", []), *member.get("anyOf", [])]]
            kind = " or ".join(word for each in kinds for word in ([each] if isinstance(each, str) else each))
            text = meanings.meaning_of(at, terms) or ""
            unit = meanings.unit_of(name, kind)
            yield at, (text + (unit and f" ({unit})"), "object" in kind.split(" or "))
            yield from members(member, at)

    return {path: found for answer in json.loads(_core.json_schema())["oneOf"]
            for path, found in members(answer, answer["title"].split(".")[1].split("/")[0])}


def _description(path):
    return _descriptions().get(path, ("", False))[0]


def _columns(path):
    """Returns the dotted names of the members of the objects in the list at `path`."""
    for at, (_, is_object) in _descriptions().items():
        if at.startswith(path + "."):
            name = at[len(path) + 1:]
            above = [at[:end] for end in range(len(path) + 1, len(at)) if at[end] == "."]
            if not is_object and all(_descriptions()[each][1] for each in above):
                yield name


def _explained(paths):
    """Returns a line on each of the members at these paths that have a description."""
    lines = dict.fromkeys(f"{path.rpartition('.')[2]}: {text}" for path in paths if (text := _description(path)))
    return "\n".join(["", "", *lines]) if lines else ""


class _Doc(str):
    """The docstring of a class. That of an object also explains its fields."""

    def __get__(self, fields, owner):
        return str(self) if fields is None else self + _explained(f"{fields._path}.{name}" for name in fields)


class Fields(Mapping[str, Value]):
    """An object of a JSON answer. Its members are attributes and items: `a.iteration.measured_ns`, `a["iteration"]`."""

    def __init_subclass__(cls, answers: str = "") -> None:
        """`answers` are the names of the only answers of which there are objects; help() explains their fields."""
        if not answers:
            cls.__doc__ = _Doc(cls.__doc__)
        else:  # a text, because help() of a class does not ask a _Doc; this takes 20 ms of the import
            names = answers.split()
            cls.__doc__ += _explained(path for path in _descriptions() if path.rpartition(".")[0] in names)

    def __init__(self, members: dict[str, Any], path: str = "") -> None:
        self._members = members
        self._path = path

    if not TYPE_CHECKING:  # type checkers know the members of each class from fields.pyi
        def __getattr__(self, name):
            if name.startswith("_"):  # also asked by copy and pickle, before there are members
                raise AttributeError(name)
            if name not in self._members:
                raise AttributeError(self._has_no(name))
            return self[name]

    def __getitem__(self, name: str) -> Value:
        return _wrapped(self._members[name], f"{self._path}.{name}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._members]

    def __repr__(self) -> str:
        return f"Fields({', '.join(f'{name}={value!r}' for name, value in self._members.items())})"

    def explain(self, name: str) -> str:
        """Returns what a field means, and its unit: `answer.scenario.explain("low_ns")`."""
        if name not in self._members:
            raise UsageError(self._has_no(name))
        return _description(f"{self._path}.{name}")

    def _has_no(self, name):
        return f"no field '{name}'; expected one of {', '.join(self)}"

    def to_dict(self) -> dict[str, Any]:
        """Returns the members as plain dicts, lists, numbers and texts."""
        return self._members

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a DataFrame of one row. Members of members have dotted names: "throughput.in_all"."""
        return Records([self]).to_pandas()


Fields.__doc__ = _Doc(Fields.__doc__)


class Records(list[Element]):
    """A list of a JSON answer."""

    def __init__(self, elements: Iterable[Element] = (), path: str = "") -> None:
        super().__init__(elements)
        self._path = path

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a DataFrame with a row per element. Each member is a column, and members of members have dotted
        names. A list of plain values has one column, "value"."""
        pandas = optional.pandas()

        if not self:
            return pandas.DataFrame(columns=[*_columns(self._path)] or ["value"])
        return pandas.DataFrame([dict(_flat(each)) if isinstance(each, Fields) else {"value": each} for each in self])

    def _repr_html_(self) -> str | None:
        try:
            return self.to_pandas()._repr_html_()  # type: ignore[no-any-return]
        except ImportError:
            return None


def _flat(fields, prefix=""):
    """Yields each member that is not an object, under its dotted name."""
    for name, value in fields.items():
        if isinstance(value, Fields):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _wrapped(value, path):
    if isinstance(value, dict):
        return Fields(value, path)
    if isinstance(value, list):
        return Records((_wrapped(each, path) for each in value), path)
    return value


class Result(Fields[Any]):
    """The result of a command. Its attributes are the fields of `stepsim COMMAND --json` (docs/reference/json.md).

    A result can be pickled, for example to return it from a worker process. What is unpickled has all fields, the
    report and the table, but no timelines, and cannot be saved in other forms.
    """

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def __copy__(self) -> Result:
        again = type(self).__new__(type(self))
        again.__dict__ = {name: value for name, value in self.__dict__.items() if name != "_members"}
        return again

    def __deepcopy__(self, memo: Any) -> Result:
        return self.__copy__()  # what the copies share cannot be changed

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (_PickledAnswer(self._answer, str(self)),)

    @functools.cached_property
    def _path(self):
        return self._members["schema"].removeprefix("stepsim.").split("/")[0]

    @functools.cached_property
    def _members(self):  # parsed when the first field is asked for
        return json.loads(self.to_json())

    def to_json(self) -> str:
        """Returns the text that the command prints with --json, without its newline: the field provenance.command is a
        command line that prints the same bytes."""
        return self._answer.json()

    def to_pandas(self) -> pandas.DataFrame:
        """Returns the table that `-o x.csv` writes, as a pandas DataFrame. Times are nanoseconds."""
        pandas = optional.pandas()

        return pandas.DataFrame(self._answer.columns())

    def timeline(self, replay: int = 0) -> Timeline:
        """Returns a dict of numpy columns without a copy: start_ns and finish_ns of each task, from the start of the
        replay. A what-if has two replays: 0 is the baseline, 1 the scenario. Its plot() draws them."""
        count = self._answer.replay_count()
        if not 0 <= replay < count:
            raise IndexError(f"replay {replay} of {count}; expected 0 to {count - 1}" if count else
                             "this result has no replay")
        return Timeline(self._answer, replay)

    def save(self, path: Union[str, bytes, os.PathLike[Any]]) -> None:
        """Writes the result to a file, in the form of its extension, as `-o FILE` does: .html, .svg, .csv, ..."""
        with messages.of_python():
            self._answer.save(path)

    def __str__(self) -> str:
        return self._answer.text(width=shutil.get_terminal_size((120, 40)).columns)

    def __repr__(self) -> str:
        return f"<stepsim.Result: {self._answer.document()['headline']}>"

    def _repr_html_(self) -> str:
        return _document_as_html(self._answer.document(), self._picture())

    def _picture(self):
        """Returns the SVG picture of this result, or None."""
        if not self._answer.has_picture():
            return None
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "picture.svg")
            self._answer.save(file)
            with open(file, "rb") as picture:
                return picture.read()


class Timeline(dict[str, Any]):
    """When each task ran in a replay: numpy columns `start_ns` and `finish_ns`, and the name of the `replay`."""

    def __init__(self, answer: Any, index: int) -> None:
        optional.numpy()
        super().__init__(answer.timeline(index))
        self._answer = answer
        self._index = index

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)

    def plot(self, begin_ns: int | None = None, end_ns: int | None = None, ax: Axes | None = None) -> Axes:
        """Draws the work of each thread and stream from begin_ns to end_ns (by default, all of the replay) with
        matplotlib, on `ax` if given. Tasks on the critical path are underlined. Returns the Axes."""
        return plots.timeline(self._answer, self._index, begin_ns, end_ns, ax)


class _PickledAnswer:
    """Stands in for a _core.Answer, which cannot be pickled, and keeps its fields, its report and its table."""

    def __init__(self, answer, text):
        self._json = answer.json()
        self._text = text
        self._document = answer.document()
        self._columns = answer.columns()

    def json(self):
        return self._json

    def text(self, width=0, brief=False):
        return self._text

    def document(self):
        return self._document

    def columns(self):
        return self._columns

    def save(self, path):
        raise UsageError(f"{os.fspath(path)!r}: this result was pickled, which keeps its fields and table only; save "
                         "it in the process that computed it, or write to_json() or to_pandas()")

    def replay_count(self):
        return 0

    def has_picture(self):
        return False


_STYLE = ("<style>.stepsim table{border-collapse:collapse;margin:.3em 0}.stepsim td,.stepsim th{padding:.1em .7em;"
          "text-align:left}.stepsim .number{text-align:right;"
          "white-space:nowrap;font-variant-numeric:tabular-nums}.stepsim img{max-width:100%;background:white}</style>")


def _document_as_html(document, picture):
    parts = [_STYLE, "<div class='stepsim'>"]
    if document["warning"]:
        parts.append(_element("p", document["warning"]))
    parts.append(f"<p><b>{html.escape(document['headline'])}</b></p>")
    parts += [_element("p", document[name]) for name in ("caution", "trust") if document[name]]
    if picture is not None:
        data = base64.b64encode(picture).decode()
        parts.append(f"<img alt='picture of the answer' src='data:image/svg+xml;base64,{data}'>")
    for section in document["sections"]:
        parts += _section_as_html(section)
    return "\n".join([*parts, "</div>"])


def _section_as_html(section):
    if section["title"]:
        yield _element("h4", section["title"])
    if section["lead"]:
        yield _element("p", section["lead"])
    if "table" in section:
        columns = section["table"]["columns"]
        yield "<table><tr>" + "".join(_cell("th", title, right) for title, right in columns) + "</tr>"
        for row in section["table"]["rows"]:
            yield "<tr>" + "".join(_cell("td", text, right) for text, (_, right) in zip(row, columns)) + "</tr>"
        yield "</table>"
    if section["sentences"]:
        items = (_element("li", f"{text} {detail}".strip()) for text, detail in section["sentences"])
        yield "<ul>" + "".join(items) + "</ul>"
    if section["verbatim"]:
        yield _element("pre", section["verbatim"])


def _element(tag, text):
    return f"<{tag}>{html.escape(text)}</{tag}>"


def _cell(tag, text, right):
    return f"<{tag}{' class=number' if right else ''}>{html.escape(text)}</{tag}>"
