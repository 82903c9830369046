"""A system that refuses calls: the environment in which calls of a program fail."""

from peers import preloaded


def counted(file):
    """How many calls of each kind there were, of the file that KITBAG_FAIL_COUNT named."""
    return {kind: int(calls) for kind, calls in map(str.split, file.read_text().splitlines())}


class FailingSystem:
    """Calls for files below `under` fail, by tests/support/failing_calls.cpp, made in `folder`."""

    def __init__(self, folder, under):
        self._library = preloaded("failing_calls", folder)
        self._under = under

    def environment(self, kinds, at, number):
        """Call number `at` of these kinds fails with the errno `number`; 0: none does."""
        return {"LD_PRELOAD": str(self._library), "KITBAG_FAIL_CALLS": " ".join(kinds),
                "KITBAG_FAIL_UNDER": str(self._under), "KITBAG_FAIL_AT": str(at),
                "KITBAG_FAIL_ERRNO": str(number)}
