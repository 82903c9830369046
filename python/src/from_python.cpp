#include <pybind11/stl.h>

#include <array>
#include <memory>
#include <optional>

#include "structures.h"
#include "values.h"

// What a program has at hand becomes a Value; whether it fits a type is for the library to say
// (fit()). Arrays are not copied: the value holds the buffer, which is released with it, so values
// made here live as long as the GIL is held.

namespace kitbag::python {

namespace {

/// Fails for what contains itself.
class Depth {
 public:
  Depth() {
    if (Py_EnterRecursiveCall(" in a message") != 0) throw py::error_already_set();
  }
  ~Depth() { Py_LeaveRecursiveCall(); }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;
};

Value as_value(Value::Structure structure) {
  return {builtin_type(Kind::any), std::make_shared<Value::Structure>(std::move(structure))};
}

Value integer(py::handle number) {
  int overflow = 0;
  long long small = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow == 0) return small;
  unsigned long long large = PyLong_AsUnsignedLongLong(number.ptr());
  if (PyErr_Occurred()) throw py::error_already_set();
  return large;
}

std::optional<Kind> kind_of(char letter, Py_ssize_t bytes) {
  constexpr std::array kSigned = {Kind::int8, Kind::int16, Kind::int32, Kind::int64};
  constexpr std::array kUnsigned = {Kind::uint8, Kind::uint16, Kind::uint32, Kind::uint64};
  std::size_t size = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
  switch (letter) {
    case '?':
      return Kind::boolean;
    case 'f':
      return Kind::float32;
    case 'd':
      return Kind::float64;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
      return kSigned.at(size);
    case 'c':
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
      return kUnsigned.at(size);
    default:
      return std::nullopt;
  }
}

/// Nothing: its elements are no numbers of this machine.
std::optional<Value> packed(py::handle object) {
  auto view = std::shared_ptr<Py_buffer>(new Py_buffer{}, [](Py_buffer* held) {
    PyBuffer_Release(held);
    delete held;
  });
  if (PyObject_GetBuffer(object.ptr(), view.get(), PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  std::string format = view->format ? view->format : "B";
  if (format.size() == 2 && (format[0] == '<' || format[0] == '=' || format[0] == '@')) {
    format.erase(0, 1);
  }
  auto kind = format.size() == 1 ? kind_of(format[0], view->itemsize) : std::nullopt;
  if (!kind) return std::nullopt;
  auto bytes =
      std::span(static_cast<const std::byte*>(view->buf), static_cast<std::size_t>(view->len));
  return PackedNumbers{&builtin_type(*kind), bytes, view};
}

Value numpy_value(py::handle object) {
  std::string kind = py::str(object.attr("dtype").attr("kind"));
  py::object array = py::reinterpret_borrow<py::object>(object);
  if (kind == "M" || kind == "m") {
    array = array.attr("astype")(kind == "M" ? "datetime64[ns]" : "timedelta64[ns]");
    return from_python(array.attr("astype")("int64").attr("tolist")());
  }
  if (py::int_(object.attr("ndim")).equal(py::int_(0)) || kind == "O" || kind == "U") {
    return from_python(array.attr("tolist")());
  }
  if (auto numbers = packed(array)) return *std::move(numbers);
  // Slices, other byte orders, and half or long double numbers.
  std::string native = kind == "f" ? "float64" : py::str(array.attr("dtype").attr("name"));
  array = array.attr("astype")(native, py::arg("order") = "C");
  if (auto numbers = packed(array)) return *std::move(numbers);
  throw py::type_error("an array of " + native + " cannot be part of a message");
}

void add_field(Value::Structure& structure, py::handle name, py::handle value) {
  structure.names.push_back(PyUnicode_Check(name.ptr()) ? utf8(name) : utf8(py::str(name)));
  structure.values.push_back(from_python(value));
}

Value of_dict(const py::dict& dict) {
  Value::Structure structure;
  for (auto [name, value] : dict) add_field(structure, name, value);
  return as_value(std::move(structure));
}

/// A structure of the attributes that `names` lists.
Value of_attributes(py::handle object, py::handle names) {
  Value::Structure structure;
  for (py::handle name : names) add_field(structure, name, object.attr(name));
  return as_value(std::move(structure));
}

Value of_sequence(py::handle object) {
  Value::List list;
  for (py::handle each : object) list.push_back(from_python(each));
  return list;
}

}  // namespace

Value from_python(py::handle object) {
  Depth depth;
  PyObject* raw = object.ptr();
  if (object.is_none()) return {};
  if (PyBool_Check(raw)) return raw == Py_True;
  if (PyLong_Check(raw)) return integer(object);
  if (PyFloat_Check(raw)) return PyFloat_AS_DOUBLE(raw);
  if (PyUnicode_Check(raw)) return utf8(object);
  if (const Value* value = value_of(object)) return *value;
  if (PyDict_Check(raw)) return of_dict(py::reinterpret_borrow<py::dict>(object));
  if (PyList_CheckExact(raw) || PyTuple_CheckExact(raw)) return of_sequence(object);
  if (py::hasattr(object, "dtype") && py::hasattr(object, "ndim")) return numpy_value(object);
  if (PyTuple_Check(raw) && py::hasattr(object, "_fields")) {
    return of_attributes(object, object.attr("_fields"));
  }
  if (PyList_Check(raw) || PyTuple_Check(raw)) return of_sequence(object);
  if (PyObject_CheckBuffer(raw)) {
    if (auto numbers = packed(object)) return *std::move(numbers);
  }
  if (py::hasattr(object, "__dataclass_fields__")) {
    return of_attributes(object, object.attr("__dataclass_fields__"));
  }
  // Times of ROS 1, whose fields are called otherwise than in its definitions.
  if (py::hasattr(object, "to_nsec")) return integer(object.attr("to_nsec")());
  if (py::hasattr(object, "__slots__") && !PyType_Check(raw)) {
    return of_attributes(object, object.attr("__slots__"));
  }
  if (py::hasattr(object, "__index__")) return integer(object.attr("__index__")());
  throw py::type_error("an object of the type " +
                       std::string(py::str(py::type::of(object).attr("__name__"))) +
                       " cannot be part of a message");
}

}  // namespace kitbag::python
