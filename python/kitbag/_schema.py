"""Definitions of dataclasses."""

import dataclasses
import typing

# As ROS 1 and ROS 2 both write them.
_SCALARS = {bool: "bool", int: "int64", float: "float64", str: "string", bytes: "uint8[]"}


def _name_of(cls, encoding):
    """`kitbag_type` of the class, or one of its own name."""
    given = getattr(cls, "kitbag_type", None)
    if given:
        return given
    return f"python_msgs/{'' if encoding == 'ros1' else 'msg/'}{cls.__name__}"


def _word(annotation, encoding, nested):
    if annotation in _SCALARS:
        return _SCALARS[annotation]
    if dataclasses.is_dataclass(annotation):
        nested.append(annotation)
        package, *_, name = _name_of(annotation, encoding).split("/")
        return f"{package}/{name}"
    origin = typing.get_origin(annotation)
    arguments = typing.get_args(annotation)
    if origin is typing.Annotated:  # Annotated[float, "float32"] names the type itself
        return arguments[1]
    if origin in (list, tuple) and arguments:
        return _word(arguments[0], encoding, nested) + "[]"
    if origin is not None and getattr(origin, "__name__", "") == "ndarray":
        (scalar,) = typing.get_args(arguments[1]) or (float,)
        name = getattr(scalar, "__name__", "float64")
        return {"bool_": "bool", "float": "float64", "int": "int64"}.get(name, name) + "[]"
    if getattr(annotation, "__name__", "") == "ndarray":
        return "float64[]"
    raise TypeError(f"there is no type of messages for {annotation!r}; use bool, int, float, str, "
                    "bytes, list[...], numpy.typing.NDArray[...], a dataclass, or "
                    "Annotated[float, \"float32\"]")


def of_dataclass(cls, encoding):
    """The name of the type and its definition, with those that it needs."""
    texts = {}
    waiting = [cls]
    while waiting:
        each = waiting.pop(0)
        name = _name_of(each, encoding)
        if name in texts:
            continue
        hints = typing.get_type_hints(each, include_extras=True)
        texts[name] = "".join(f"{_word(hints[field.name], encoding, waiting)} {field.name}\n"
                              for field in dataclasses.fields(each))
    first, *others = texts
    rule = "=" * 80
    parts = [texts[first]]
    for name in others:
        package, *_, short = name.split("/")
        parts.append(f"{rule}\nMSG: {package}/{short}\n{texts[name]}")
    return first, "".join(parts)
