"""What coins.yml names: a script that drops rows, and two converters."""

from scoopi.errors import ConvertError
from scoopi.model.data import Data

ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def without_marked(data: Data, mark: str) -> Data:
    """The rows whose item does not end with the mark."""
    return data.with_items([item for item in data.items if not str(item.values[0]).endswith(mark)])


class RomanYear:
    """A year in Roman letters becomes a number."""

    def convert(self, value: str) -> str:
        """`MDCLXVI` -> `1666`."""
        if not value or set(value) - set(ROMAN):
            raise ConvertError(f"{value!r} is not a Roman number")
        digits = [ROMAN[letter] for letter in value]
        following = [*digits[1:], 0]
        return str(sum(-now if now < then else now for now, then in zip(digits, following, strict=True)))


class PenceToCrowns:
    """An amount of pence becomes crowns."""

    def __init__(self, per_crown: int, digits: int = 3) -> None:
        self._per_crown = per_crown
        self._digits = digits

    def convert(self, value: str) -> str:
        """`60 p` -> `0.25 crowns`."""
        amount, _, unit = value.partition(" ")
        if unit != "p":
            raise ConvertError(f"{value!r} is not an amount of pence")
        return f"{round(int(amount) / self._per_crown, self._digits):g} crowns"
