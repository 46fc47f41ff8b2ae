"""The preview of a commit in a notebook: a bar of causes, and the cards with their causes."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._ledger import BoxLedger

__all__ = ["preview_html"]

#: The number of cards that are shown of each box.
MAX_CARDS = 200

#: The number of cards of the bar.
MAX_BAR = 5_000

COLORS = {
    "argument": "#4269d0",
    "inherited": "#6cc5b0",
    "parent": "#efb118",
    "imported": "#97bbf5",
}


def preview_html(preview: Any) -> str:
    """Returns the HTML of a preview. Every value is escaped."""
    parts = [f"<p>Preview <code>{escape(preview.operation_id)}</code></p>"]
    parts.extend(_box(account) for account in preview.ledger.boxes)
    dropped = preview.ledger.dropped
    if dropped:
        rows = "".join(_row(drop["path"], drop["reason"]) for drop in dropped)
        parts.append(f"<p>Dropped values</p><table>{rows}</table>")
    lints = preview.lints
    if lints:
        rows = "".join(_row(lint.get("code"), lint.get("message")) for lint in lints)
        parts.append(f"<p>Lints</p><table>{rows}</table>")
    if not preview.ledger.boxes:
        parts.append(f"<pre>{escape(_short(preview.value_text))}</pre>")
    return "".join(parts)


def _box(account: BoxLedger) -> str:
    entries = account[:MAX_CARDS]
    causes = [entry["cause"] for entry in account[:MAX_BAR]]
    rows = "".join(
        _row(entry["position"], entry["card_id"], entry["cause"]["kind"], _source(entry["cause"]))
        for entry in entries
    )
    head = "".join(f"<th>{name}</th>" for name in ("Position", "Card", "Cause", "Source"))
    more = len(account) - len(entries)
    rest = f"<p>{more} more cards</p>" if more > 0 else ""
    title = f"<code>{escape(account.box_id)}</code>: {len(account)} cards, {account.swallowed} duplicates omitted"
    return f"<p>Box {title}</p>{_bar(causes)}<table><tr>{head}</tr>{rows}</table>{rest}"


def _bar(causes: list[Any]) -> str:
    """Returns a bar with one segment for each run of cards with the same cause."""
    segments: list[tuple[str, int]] = []
    for cause in causes:
        kind = str(cause["kind"])
        if segments and segments[-1][0] == kind:
            segments[-1] = (kind, segments[-1][1] + 1)
        else:
            segments.append((kind, 1))
    parts = "".join(
        f'<span title="{escape(kind)}: {count}" style="flex:{count};background:{COLORS.get(kind, "#999")}"></span>'
        for kind, count in segments
    )
    return f'<div style="display:flex;height:12px;width:100%">{parts}</div>'


def _source(cause: Any) -> str:
    names = ("arg_key", "box_id", "file", "path", "pointer")
    return ", ".join(str(cause[name]) for name in names if cause.get(name))


def _row(*cells: object) -> str:
    return "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>"


def _short(text: str) -> str:
    return text if len(text) <= 4000 else text[:4000] + ".."
