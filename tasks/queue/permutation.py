"""Compute a keyed permutation one place at a time, without storing it.

Each annotator of a shuffled project goes through its items in an order of their own. Sorting a
million items for each annotator would take a second at every step. This module computes the n-th
place of an order in microseconds, and never returns a place twice.

It is a balanced Feistel network over the next even number of bits, with keyed BLAKE2b as its round
function. A result that is too large goes through the network again: "cycle walking", from J. Black,
P. Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002. Four rounds are enough, since the
order has to look random but has nothing to hide.
"""

from hashlib import blake2b

ROUNDS = 4


def permuted(key: bytes, size: int, number: int) -> int:
    """Return place `number` in the order that the key defines; both count from 0 to below `size`.

    The key has up to 64 bytes. For one key and size, every value comes exactly once. Raise
    ValueError if `number` is out of range.
    """
    if not 0 <= number < size:
        raise ValueError(f"{number} is no place among {size}")
    half = max(1, ((size - 1).bit_length() + 1) // 2)
    place = _mixed(key, half, number)
    while place >= size:  # the network has fewer than four times `size` places, so this ends soon
        place = _mixed(key, half, place)
    return place


def _mixed(key: bytes, half: int, number: int) -> int:
    mask = (1 << half) - 1
    left = number >> half
    right = number & mask
    for turn in range(ROUNDS):
        text = b"%d/%d" % (turn, right)
        digest = blake2b(text, key=key, digest_size=8).digest()
        drawn = int.from_bytes(digest, "big")
        left, right = right, left ^ (drawn & mask)
    return left << half | right
