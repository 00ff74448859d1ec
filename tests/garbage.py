"""Lines that a program may print instead of an answer to request 7, and now and then such an answer."""

from hypothesis import strategies as st

TOKENS = [
    *(
        '{"id":7,"value":',
        '{"id":7,',
        '"value":',
        '"error":',
        '"id":',
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        '"',
        "\\",
        "\\u12",
    ),
    *("7", "7.0", "8", "-0.0", "1e999", "1e-400", "9" * 400, "9" * 5000, "0x7", "NaN", "-Infinity", "true", "null"),
    *('"high"', '"7"', " ", "\t", "\r", "\0", "é", "\ufeff", "[" * 2000, '{"a":' * 2000, "a" * 300),
]
LINES = st.lists(st.sampled_from(TOKENS), max_size=7).map(lambda tokens: "".join(tokens).encode())
