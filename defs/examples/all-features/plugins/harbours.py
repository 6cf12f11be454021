"""What the contacts of a harbour need: freight left out, telephone numbers in one form."""

from scoopi.errors import ConvertError
from scoopi.model.data import Data


def without_freight(data: Data) -> Data:
    """The rows that are not about freight."""
    return data.with_items([item for item in data.items if item.values[0] != "Freight"])


class Telephone:
    """Digits in pairs become a number as one dials it from abroad; all else stays."""

    def __init__(self, country: str) -> None:
        self._country = country

    def convert(self, value: str) -> str:
        """`00 12 34` -> `+1 001234`."""
        digits = value.replace(" ", "")
        if not digits:
            raise ConvertError("telephone number missing")
        return f"+{self._country} {digits}" if digits.isdecimal() else value
