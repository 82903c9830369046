"""Where frames are."""

from . import _kitbag, _times


class Transforms:
    """The transforms of a bag: those in messages of ROS 1, ROS 2 and Foxglove, on topics of any
    name. Times are stamps. Those near the times that are asked for are read and kept."""

    def __init__(self, bag):
        self._bag = bag
        self._transforms = None
        self._bags = None  # that they are of

    def _opened(self):
        bags = self._bag._opened()
        if self._bags is not bags:
            self._bags, self._transforms = bags, _kitbag._Transforms(bags)
        return self._transforms

    def lookup(self, target, source, times, *, matrix=False, missing="raise"):
        """What takes points in the frame `source` to the frame `target`: x, y, z and the
        quaternion qx, qy, qz, qw. Of one time it is an array of shape (7,), of a list or an array
        of times one of shape (n, 7). With `matrix`, these are homogeneous matrices, of shape (4, 4)
        and (n, 4, 4).

        Times are as in Bag.read(), and arrays of integers (nanoseconds) or datetime64. Between two
        transforms, positions lie on a line and rotations on the shorter arc (slerp). Where there is
        no answer, an Error says why: a frame is not known, two are not connected, or the time lies
        outside of the transforms. With missing="nan", such rows are NaN; a frame that is not known
        at any of the times is an Error all the same."""
        import numpy as np
        if missing not in ("raise", "nan"):
            raise ValueError(f'missing is "raise" or "nan", not {missing!r}')
        opened = self._opened()
        given, is_one = self._nanoseconds(times)
        rows = np.frombuffer(opened.lookup(target, source, given, missing == "raise"),
                             np.float64).reshape(-1, 7)
        rows = _matrices(rows) if matrix else rows
        return rows[0] if is_one else rows

    def _nanoseconds(self, times):
        """An array of int64, and whether only one time was given."""
        import numpy as np
        if not isinstance(times, (list, tuple)) and hasattr(times, "__array__"):
            times = np.asarray(times)
            if times.ndim > 1:
                raise ValueError(f"times have one dimension, not {times.ndim}")
            if times.dtype.kind == "M":
                times = _times.datetimes(times)
            if times.dtype.kind in "iu":
                return np.atleast_1d(times).astype(np.int64), times.ndim == 0
            if times.dtype.kind == "f":
                raise TypeError("times are integers in nanoseconds or datetime64; "
                                "floats are not exact")
            times = times.tolist()
        is_one = not isinstance(times, (list, tuple))
        resolve = self._bags.time_ns
        return np.array([resolve(_times.given(time)) for time in ([times] if is_one else times)],
                        np.int64), is_one


def _matrices(rows):
    import numpy as np
    x, y, z, w = (rows[:, i] for i in range(3, 7))
    matrices = np.zeros((len(rows), 4, 4))
    matrices[:, 0, :3] = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w),
                                   2 * (x * z + y * w)], axis=1)
    matrices[:, 1, :3] = np.stack([2 * (x * y + z * w), 1 - 2 * (x * x + z * z),
                                   2 * (y * z - x * w)], axis=1)
    matrices[:, 2, :3] = np.stack([2 * (x * z - y * w), 2 * (y * z + x * w),
                                   1 - 2 * (x * x + y * y)], axis=1)
    matrices[:, :3, 3] = rows[:, :3]
    matrices[:, 3, 3] = 1
    return matrices
