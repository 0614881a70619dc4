"""Draws errors as bars: an SVG that a page includes. For score_evidence.py."""
import xml.sax.saxutils
from typing import NamedTuple, Optional

FULL = 0.4  # error of the longest bar; longer ones end in an arrow
COLOURS = {"seen": "#4c78a8", "unseen": "#e45756"}
LABELS, BARS, NUMBERS, LINE, TOP = 430, 320, 150, 20, 44  # pixels


class Bar(NamedTuple):
    label: str
    seen: str  # a key of COLOURS
    error: float
    before: Optional[float]  # the error at the commit before


def text(x, y, words, anchor="start", weight="normal"):
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-weight="{weight}">{xml.sax.saxutils.escape(words)}</text>'


def place(error):
    return LABELS + round(BARS * min(error, FULL) / FULL)


def bar(y, one):
    """Draws a bar with its number, and a black line where the error was before, if that differs."""
    end = place(one.error)
    parts = [text(LABELS - 8, y + 14, one.label, "end"), f'<rect x="{LABELS}" y="{y + 3}" width="{max(end - LABELS, 1)}" height="{LINE - 6}" fill="{COLOURS[one.seen]}"/>']
    if one.error > FULL:
        parts.append(f'<path d="M{end} {y + 3} l8 {(LINE - 6) // 2} l-8 {(LINE - 6) // 2} z" fill="{COLOURS[one.seen]}"/>')
    number = f"{100 * one.error:.1f} %"
    if one.before is not None and abs(one.before - one.error) >= 0.0005:
        parts.append(f'<path d="M{place(one.before)} {y + 1} v{LINE - 2}" stroke="#000" stroke-width="2"/>')
        number += f" (before: {100 * one.before:.1f} %)"
    return [*parts, text(max(end, place(one.before or 0)) + 12, y + 14, number)]


def svg(title, groups):
    """Returns the picture. `groups` are (heading, bars); the bars of a group have the order that is given."""
    body, y = [text(8, 16, title, weight="bold")], TOP
    for x, (name, colour) in zip((LABELS, LABELS + 90), COLOURS.items()):
        body += [f'<rect x="{x}" y="6" width="12" height="12" fill="{colour}"/>', text(x + 17, 16, name)]
    for heading, bars in groups:
        body.append(text(8, y + 14, heading, weight="bold"))
        y += LINE + 4
        for one in bars:
            body += bar(y, one)
            y += LINE
        y += 12
    lines = [f'<path d="M{place(error)} {TOP - 12} V{y}" stroke="#ccc"/>' + text(place(error), TOP - 14, f"{error:.0%}", "middle") for error in (0, FULL / 4, FULL / 2, 3 * FULL / 4, FULL)]
    size = f'width="{LABELS + BARS + NUMBERS}" height="{y}"'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">', '<rect width="100%" height="100%" fill="#fff"/>', *lines, *body, "</svg>"]) + "\n"
