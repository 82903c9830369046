"""A system that refuses calls: the environment in which calls of a program fail."""

from peers import preloaded


class FailingSystem:
    """Calls for files below `under` fail, by tests/support/failing_calls.cpp, made in `folder`."""

    def __init__(self, folder, under):
        self._library = preloaded("failing_calls", folder)
        self._under = under

    def environment(self, kind, at, number):
        """Call number `at` of a kind fails with the errno `number`; 0: none does."""
        return {"LD_PRELOAD": str(self._library), "KITBAG_FAIL_CALLS": kind,
                "KITBAG_FAIL_UNDER": str(self._under), "KITBAG_FAIL_AT": str(at),
                "KITBAG_FAIL_ERRNO": str(number)}
