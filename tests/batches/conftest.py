"""What tests of calls in batches share with those of other calls."""

from tests.models.conftest import says_seven

__all__ = ["says_seven"]
