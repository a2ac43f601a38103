"""Changes bytes as broken disks, other programs and hostile strangers do; the same for the same seed.

SPDX-License-Identifier: GPL-3.0-or-later
"""

# What readers take for numbers, or stumble over.
NUMBERS = (
    b"0", b"-1", b"1", b"-0", b"2147483647", b"-2147483648", b"4294967296", b"9223372036854775808",
    b"1e308", b"1e999", b"-1e999", b"1e-320", b"nan", b"inf", b"1_000", b"0x10", b"+5", b"1.5.2", b"9" * 400,
)  # fmt: skip
BINARY = (
    b"\0\0\0\0", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\0\0\x80\x7f", b"\0\0\xc0\x7f",
    b"\x01\0\0\0", b"\0" * 32,
)  # fmt: skip
TEXT = (
    b'"', b"{", b"}", b"[", b"]", b"[" * 2000, b":", b",", b"null", b"true", b"\\", b"\\\n", b"\r", b"\n", b"#", b"/",
    b"//", b" ", b"\t", b"\xef\xbb\xbf", b"\xff\xfe", b"\\ud800", "é".encode(), b"../../../etc/passwd", b"\x1b[2J", b"\0",
)  # fmt: skip
TOKENS = NUMBERS + BINARY + TEXT
MOST_BYTES = 4096


def mutated(random, data, others, words=()):
    """`data` after one to five changes; pieces of `others` and `words`, of the format, may come in."""
    data = bytearray(data)
    for _ in range(random.randint(1, 5)):
        random.choice(CHANGES)(random, data, others, words)
    return bytes(data[:MOST_BYTES])


def span(random, data):
    """A begin and an end, mostly near each other."""
    begin = random.randrange(len(data) + 1)
    return begin, min(len(data), begin + int(random.expovariate(0.2)))


def flip(random, data, others, words):
    if data:
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def set_byte(random, data, others, words):
    if data:
        data[random.randrange(len(data))] = random.randrange(256)


def remove(random, data, others, words):
    begin, end = span(random, data)
    del data[begin:end]


def repeat(random, data, others, words):
    begin, end = span(random, data)
    place = random.randrange(len(data) + 1)
    data[place:place] = data[begin:end] * random.choice((1, 1, 2, 50))


def put_token(random, data, others, words):
    begin, end = span(random, data)
    data[begin : end if random.random() < 0.5 else begin] = random.choice(TOKENS)


def put_word(random, data, others, words):
    place = random.randrange(len(data) + 1)
    data[place:place] = random.choice(words or TOKENS)


def replace_number(random, data, others, words):
    """One of the numbers in a text becomes another."""
    digits = [at for at, byte in enumerate(data) if 48 <= byte <= 57]
    if digits:
        begin = end = random.choice(digits)
        while end < len(data) and data[end] in b"0123456789.eE+-":
            end += 1
        data[begin:end] = random.choice(NUMBERS)


def splice(random, data, others, words):
    other = random.choice(others)
    begin, end = span(random, other)
    place = random.randrange(len(data) + 1)
    data[place:] = other[begin:] if random.random() < 0.5 else other[begin:end] + data[place:]


def cut(random, data, others, words):
    del data[random.randrange(len(data) + 1) :]


CHANGES = (flip, set_byte, remove, repeat, put_token, put_word, replace_number, splice, cut)
