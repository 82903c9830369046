#include "structures.h"

#include <array>
#include <charconv>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/escape.h"
#include "numbers.h"
#include "values.h"

// A message in Python is a tree that is made as it is looked at: kitbag.Structure holds a Value and
// converts a field when it is first asked for. Nothing is generated for a type. Fields come before
// everything else that an object has, so a field may have any name; what a structure can do besides
// is in special methods, which no field is called like.
//
// This type is written with Python's C interface: a field access through pybind11 costs several
// times as much.

namespace kitbag::python {

namespace {

struct StructureObject {
  PyObject ob_base;
  Value value;
  std::shared_ptr<ValueReader> types;
  ChannelPtr channel;
  std::vector<py::object> fields;  ///< those that were asked for; the others are null
};

PyTypeObject* structure_type = nullptr;

StructureObject& structure(PyObject* self) {
  return *reinterpret_cast<StructureObject*>(self);
}

const Value::Structure& content(const StructureObject& self) {
  return *std::get<std::shared_ptr<Value::Structure>>(self.value.content());
}

std::size_t size(const StructureObject& self) {
  return content(self).values.size();
}

const std::string& name(const StructureObject& self, std::size_t index) {
  const auto& names = content(self).names;
  return names.empty() ? self.value.type().fields[index].name : names[index];
}

std::optional<std::size_t> find(const StructureObject& self, std::string_view wanted) {
  for (std::size_t i = 0; i < size(self); ++i) {
    if (name(self, i) == wanted) return i;
  }
  return std::nullopt;
}

py::object field(StructureObject& self, std::size_t index) {
  if (self.fields.empty()) self.fields.resize(size(self));
  py::object& known = self.fields[index];
  if (!known) known = to_python(content(self).values[index], self.types);
  return known;
}

/// What a time or duration has besides its fields: other names of them, and its value as one.
py::object part_of_time(StructureObject& self, std::string_view wanted) {
  if (wanted == "ns") return py::int_(self.value.nanoseconds());
  if (wanted == "datetime64" && self.value.type().role == Role::time) {
    return datetime64(self.value.nanoseconds());
  }
  if (wanted == "timedelta64" && self.value.type().role == Role::duration) {
    return numpy("timedelta64")(self.value.nanoseconds(), "ns");
  }
  bool is_first = wanted == "sec" || wanted == "secs";
  bool is_second = wanted == "nsec" || wanted == "nsecs" || wanted == "nanosec";
  if (is_first || is_second) return field(self, is_first ? 0 : 1);
  return {};
}

py::object attribute(StructureObject& self, std::string_view wanted) {
  if (auto index = find(self, wanted)) return field(self, *index);
  const Type& type = self.value.type();
  for (const Constant& each : type.constants) {
    if (each.name == wanted) return constant_value(each);
  }
  if (type.role != Role::none) return part_of_time(self, wanted);
  return {};
}

std::string fields_text(const StructureObject& self) {
  std::string all;
  for (std::size_t i = 0; i < size(self); ++i) all += (i > 0 ? ", " : "") + escaped(name(self, i));
  return all.empty() ? "no fields" : all;
}

PyObject* get_attribute(PyObject* object, PyObject* wanted) noexcept {
  try {
    Py_ssize_t length = 0;
    const char* text = PyUnicode_AsUTF8AndSize(wanted, &length);
    if (!text) return nullptr;
    StructureObject& self = structure(object);
    std::string_view called(text, static_cast<std::size_t>(length));
    if (auto found = attribute(self, called)) return found.release().ptr();
    if (called.starts_with("__")) return PyObject_GenericGetAttr(object, wanted);
    PyErr_Format(PyExc_AttributeError, "%s has no field \"%U\"; it has %s",
                 escaped(type_name(self.value.type())).c_str(), wanted, fields_text(self).c_str());
  } catch (...) {
    set_error();
  }
  return nullptr;
}

int set_attribute(PyObject* /*self*/, PyObject* /*name*/, PyObject* /*value*/) noexcept {
  PyErr_SetString(PyExc_AttributeError,
                  "messages are read-only; change the dict that kitbag.as_dict() gives");
  return -1;
}

/// message.data["pose.position.x"], and fields whose names are words of Python.
PyObject* get_item(PyObject* object, PyObject* path) noexcept {
  try {
    StructureObject& self = structure(object);
    std::string text = utf8(path);
    if (auto index = find(self, text)) return field(self, *index).release().ptr();
    return to_python(self.value.get(text), self.types).release().ptr();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::not_found) {
      PyErr_SetString(PyExc_KeyError, error.message().c_str());
      return nullptr;
    }
    set_error();
  } catch (...) {
    set_error();
  }
  return nullptr;
}

py::tuple names(const StructureObject& self) {
  py::tuple all(size(self));
  for (std::size_t i = 0; i < size(self); ++i) all[i] = str(name(self, i));
  return all;
}

PyObject* iterate(PyObject* self) noexcept {
  try {
    return PyObject_GetIter(names(structure(self)).ptr());
  } catch (...) {
    set_error();
    return nullptr;
  }
}

PyObject* list_attributes(PyObject* self, PyObject* /*none*/) noexcept {
  try {
    py::list all(names(structure(self)));
    for (const Constant& each : structure(self).value.type().constants) all.append(each.name);
    return all.release().ptr();
  } catch (...) {
    set_error();
    return nullptr;
  }
}

Py_ssize_t length(PyObject* self) noexcept {
  return static_cast<Py_ssize_t>(size(structure(self)));
}

int contains(PyObject* self, PyObject* wanted) noexcept {
  try {
    return find(structure(self), utf8(wanted)) ? 1 : 0;
  } catch (...) {
    set_error();
    return -1;
  }
}

PyObject* represent(PyObject* object) noexcept {
  try {
    StructureObject& self = structure(object);
    const Type& type = self.value.type();
    py::str text(type.name.empty() ? "Structure" : escaped(type.name));
    py::list parts;
    for (std::size_t i = 0; i < size(self); ++i) {
      parts.append(py::str("{}={!r}").format(escaped(name(self, i)), field(self, i)));
    }
    return (text + py::str("(") + py::str(", ").attr("join")(parts) + py::str(")")).release().ptr();
  } catch (...) {
    set_error();
    return nullptr;
  }
}

PyObject* compare(PyObject* a, PyObject* b, int operation) noexcept {
  try {
    const Value* other = value_of(b);
    if (!other || (operation != Py_EQ && operation != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
    bool is_equal = structure(a).value == *other;
    return PyBool_FromLong(is_equal == (operation == Py_EQ));
  } catch (...) {
    set_error();
    return nullptr;
  }
}

void free_structure(PyObject* self) noexcept {
  PyTypeObject* type = Py_TYPE(self);
  StructureObject& held = structure(self);
  held.fields.~vector();
  held.channel.~shared_ptr();
  held.value.~Value();
  held.types.~shared_ptr();
  PyObject_Free(self);
  Py_DECREF(type);
}

}  // namespace

void add_structures(py::module_& module) {
  static std::array methods = {
      PyMethodDef{"__dir__", list_attributes, METH_NOARGS, nullptr},
      PyMethodDef{nullptr, nullptr, 0, nullptr},
  };
  structure_type =
      add_type(module, "kitbag.Structure", sizeof(StructureObject),
               {slot(Py_tp_dealloc, free_structure),
                slot(Py_tp_getattro, get_attribute),
                slot(Py_tp_setattro, set_attribute),
                slot(Py_mp_subscript, get_item),
                slot(Py_mp_length, length),
                slot(Py_sq_contains, contains),
                slot(Py_tp_iter, iterate),
                slot(Py_tp_repr, represent),
                slot(Py_tp_richcompare, compare),
                slot(Py_tp_hash, PyObject_HashNotImplemented),
                {Py_tp_methods, methods.data()}},
               "A message, or a structure in it: fields are attributes, or items by path "
               "(data[\"pose.position.x\"]). Iterating gives the names of the fields. Read-only.");
}

py::object structure_of(const Value& value, const std::shared_ptr<ValueReader>& types,
                        const ChannelPtr& channel) {
  auto* object = PyObject_New(StructureObject, structure_type);
  if (!object) throw py::error_already_set();
  new (&object->value) Value(value);
  new (&object->types) std::shared_ptr<ValueReader>(types);
  new (&object->channel) ChannelPtr(channel);
  new (&object->fields) std::vector<py::object>();
  return py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(object));
}

const Value* value_of(py::handle object) {
  return Py_IS_TYPE(object.ptr(), structure_type) ? &structure(object.ptr()).value : nullptr;
}

ChannelPtr channel_of(py::handle object) {
  return value_of(object) ? structure(object.ptr()).channel : nullptr;
}

py::object constant_value(const Constant& constant) {
  const std::string& text = constant.text;
  if (is_text(constant.kind)) return str(text);
  if (constant.kind == Kind::boolean) {
    return py::bool_(text == "1" || text == "true" || text == "True" || text == "TRUE");
  }
  if (is_real(constant.kind)) return py::float_(py::str(text));
  std::int64_t decimal = 0;  // as in "07", which Python refuses
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), decimal);
  if (error == std::errc() && end == text.data() + text.size()) return py::int_(decimal);
  PyObject* number = PyLong_FromString(text.c_str(), nullptr, 0);
  if (!number) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(number);
}

}  // namespace kitbag::python
