"""Where the tiles of a treemap are: as square as they can be (Bruls, Huizing and van Wijk 2000)."""

from __future__ import annotations

from typing import NamedTuple


class Tile(NamedTuple):
    """A rectangle, by its lower left corner."""

    x: float
    y: float
    width: float
    height: float


def tiles(values: list[float], width: float, height: float) -> list[Tile]:
    """Returns a tile for each value, of an area that is its part of the whole; values are positive and fall."""
    total = sum(values)
    areas = [value * width * height / total for value in values]
    room = Tile(0, 0, width, height)
    made: list[Tile] = []
    while len(made) < len(areas):
        rest = areas[len(made) :]
        side = min(room.width, room.height)
        count = 1
        while count < len(rest) and worst(rest[: count + 1], side) <= worst(rest[:count], side):
            count += 1
        placed, room = row_of(rest[:count], room)
        made += placed
    return made


def worst(areas: list[float], side: float) -> float:
    """Returns the longest tile's sides divided, if these areas share a side of the room."""
    depth = sum(areas) / side
    return max(max(depth * depth / area, area / (depth * depth)) for area in areas)


def row_of(areas: list[float], room: Tile) -> tuple[list[Tile], Tile]:
    """Returns the tiles along the shorter side of the room, from its upper left, and the rest of the room."""
    placed, total = [], sum(areas)
    if room.width >= room.height:
        depth, top = total / room.height, room.y + room.height
        for area in areas:
            top -= area / depth
            placed.append(Tile(room.x, top, depth, area / depth))
        return placed, Tile(room.x + depth, room.y, room.width - depth, room.height)
    depth, left = total / room.width, room.x
    for area in areas:
        placed.append(Tile(left, room.y + room.height - depth, area / depth, depth))
        left += area / depth
    return placed, Tile(room.x, room.y, room.width, room.height - depth)
