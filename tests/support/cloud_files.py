"""Strict readers of PCD 0.7 and PLY 1.0 (binary), as their specifications say: the points as arrays
of numpy. What kitbag writes is read by these and by the loaders of three.js."""

PCD_KEYS = ["VERSION", "FIELDS", "SIZE", "TYPE", "COUNT", "WIDTH", "HEIGHT", "VIEWPOINT", "POINTS",
            "DATA"]
PCD_TYPES = {"I": "i", "U": "u", "F": "f"}
PLY_TYPES = {"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4",
             "float": "f4", "double": "f8"}


def require(is_true, what):
    if not is_true:
        raise AssertionError(what)


def read_pcd(path):
    """(header, points); of a field with a count, each point has a list."""
    import numpy
    file = path.read_bytes()
    end = file.index(b"\nDATA binary\n") + len(b"\nDATA binary\n")
    lines = file[:end].decode("ascii").splitlines()
    require(lines[0].startswith("# .PCD v0.7"), lines[0])
    pairs = [line.split(" ", 1) for line in lines[1:]]
    require([key for key, _ in pairs] == PCD_KEYS, "the entries are in this order")
    header = {key: value.split(" ") for key, value in pairs}
    require(header["VERSION"] == ["0.7"], "version")
    fields = header["FIELDS"]
    require(len(set(fields)) == len(fields), "no field is there twice")
    require(all(len(header[key]) == len(fields) for key in ("SIZE", "TYPE", "COUNT")), "counts")
    dtype = numpy.dtype([(name, f"<{PCD_TYPES[type_]}{int(size)}", (int(count),))
                         for name, type_, size, count in
                         zip(fields, header["TYPE"], header["SIZE"], header["COUNT"])])
    width, height, points = (int(header[key][0]) for key in ("WIDTH", "HEIGHT", "POINTS"))
    require(width * height == points, "the size agrees with the points")
    require(len(header["VIEWPOINT"]) == 7, "a viewpoint")
    header["VIEWPOINT"] = [float(value) for value in header["VIEWPOINT"]]
    require(len(file) - end == points * dtype.itemsize, "all points, and nothing more")
    return header, numpy.frombuffer(file[end:], dtype)


def read_ply(path):
    """(comments, points)"""
    import numpy
    file = path.read_bytes()
    end = file.index(b"\nend_header\n") + len(b"\nend_header\n")
    lines = file[:end].decode().splitlines()
    require(lines[:2] == ["ply", "format binary_little_endian 1.0"], "the first lines")
    comments = [line for line in lines if line.startswith("comment ")]
    words = [line.split(" ") for line in lines[2:-1] if not line.startswith("comment ")]
    require(words[0][:2] == ["element", "vertex"], "one element")
    require(all(len(each) == 3 and each[0] == "property" for each in words[1:]), "scalars only")
    dtype = numpy.dtype([(name, "<" + PLY_TYPES[type_]) for _, type_, name in words[1:]])
    require(len(file) - end == int(words[0][2]) * dtype.itemsize, "all points, and nothing more")
    return comments, numpy.frombuffer(file[end:], dtype)
