"""RowSource: where the rows of a locator's key `from` come from."""

from __future__ import annotations

import msgspec


class RowSource(msgspec.Struct, frozen=True):
    """Where a locator's rows come from: a file, a database query, or an output of an earlier run.

    Attributes:
        file: a path, or `stdin`, as written; empty if the rows come from elsewhere.
        database: the URL of a database, as written.
        query: the SQL query to send to it.
        run: the folder, id or definitions of a run, as written.
        output: the name of a file in the folder of that run.
    """

    file: str = ""
    database: str = ""
    query: str = ""
    run: str = ""
    output: str = ""

    @property
    def name(self) -> str:
        """The source as messages name it.

        >>> RowSource(run="defs/shops", output="shops.csv").name
        'shops.csv of run defs/shops'
        """
        if self.file:
            return self.file
        return "the query" if self.query else f"{self.output} of run {self.run}"
