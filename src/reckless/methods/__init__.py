"""Two-player algorithms, one file and one generator each; `registry` finds them by the `ENTRIES` of their files."""
