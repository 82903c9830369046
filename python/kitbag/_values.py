from ._kitbag import Message, Structure


def as_dict(data):
    """A message, or a structure in it, as dicts, lists, numbers, texts and NumPy arrays. The arrays
    are copies, so all of it can be changed, and passed to Writer.write()."""
    if isinstance(data, Message):
        data = data.data
    if isinstance(data, Structure):
        return {name: as_dict(data[name]) for name in data}
    if isinstance(data, (list, tuple)):
        return [as_dict(each) for each in data]
    return data.copy() if hasattr(data, "dtype") else data
