"""A keyed permutation: an order of everything that is at hand place by place, without being written
down.

Each annotator of a shuffled project goes through its items in an order of their own. To sort a
million items for each of them would cost a second at every step; this gives the n-th place of an
order in microseconds, and never gives a place twice.

A balanced Feistel network over the next even number of bits, whose round function is keyed BLAKE2b;
results that are too large are sent through again ("cycle walking": J. Black, P. Rogaway, "Ciphers
with arbitrary finite domains", CT-RSA 2002). Four rounds: it has to look drawn at random, and to
hide nothing.
"""

from __future__ import annotations

from hashlib import blake2b

ROUNDS = 4


def permuted(key: bytes, size: int, number: int) -> int:
    """The place, from 0 to below `size`, that comes as `number` (from 0) in the order of a key of
    up to 64 bytes.

    For one key and size it takes every value once. Raises ValueError where `number` is none of the
    places.
    """
    if not 0 <= number < size:
        raise ValueError(f"{number} is no place among {size}")
    half = max(1, ((size - 1).bit_length() + 1) // 2)
    place = _mixed(key, half, number)
    while place >= size:  # fewer than four times the places exist, so this ends soon
        place = _mixed(key, half, place)
    return place


def _mixed(key: bytes, half: int, number: int) -> int:
    mask = (1 << half) - 1
    left, right = number >> half, number & mask
    for turn in range(ROUNDS):
        said = b"%d/%d" % (turn, right)
        drawn = int.from_bytes(blake2b(said, key=key, digest_size=8).digest(), "big")
        left, right = right, left ^ (drawn & mask)
    return left << half | right
