"""A bound of calls over all workers."""


class Allowance:
    """Gives each document a part of the calls that are left, and takes back what it did not need.

    So no more than `total` calls are made, whatever workers do at the same time, and without their asking each other.
    """

    def __init__(self, total: int | None, each: int | None) -> None:
        """`each`: the most calls of one document. None: no bound."""
        self.left, self.each = total, each
        self.hands = 1
        """How many documents may be under way at once."""

    @property
    def spent(self) -> bool:
        """Whether no call is left to give."""
        return self.left is not None and self.left < 1

    def take(self) -> int | None:
        """The most calls of the next document; None: no bound but its own."""
        if self.left is None:
            return None
        given = max(1, self.left // self.hands)
        given = given if self.each is None else min(given, self.each)
        self.left -= given
        return given

    def give_back(self, given: int | None, used: int) -> None:
        """A document that had so many calls made this many."""
        if self.left is not None and given is not None:
            self.left += max(0, given - used)
