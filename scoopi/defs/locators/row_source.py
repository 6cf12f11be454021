"""RowSource: where the rows of a locator come from, as its `from` names it."""

from __future__ import annotations

import msgspec


class RowSource(msgspec.Struct, frozen=True):
    """Where the rows of a locator come from: a file, a query of a database, or an output of a run.

    Attributes:
        file: a path, or standard input, as written; empty for the others.
        database: URL of the database, as written.
        run: a folder, an id, or definitions, as written.
        output: a file's name in the folder of the run.
    """

    file: str = ""
    database: str = ""
    query: str = ""
    run: str = ""
    output: str = ""

    @property
    def name(self) -> str:
        """What messages call it.

        >>> RowSource(run="defs/shops", output="shops.csv").name
        'shops.csv of run defs/shops'
        """
        if self.file:
            return self.file
        return "the query" if self.query else f"{self.output} of run {self.run}"
