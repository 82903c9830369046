#include "numbers.h"

#include <new>

// Lists of numbers are NumPy arrays over the bytes of the payload. Numbers, a small object with the
// buffer protocol, is their base: it holds the owner of the bytes, so an array lives as long as it
// likes. NumPy is imported when the first list is asked for.

namespace kitbag::python {

namespace {

struct NumbersObject {
  PyObject ob_base;
  PackedNumbers numbers;
  Py_ssize_t count;
  char format[2];
};

PyTypeObject* numbers_type = nullptr;

char format_of(const Type& type) {
  switch (type.kind == Kind::enumeration ? type.base : type.kind) {
    case Kind::boolean:
      return '?';
    case Kind::int8:
      return 'b';
    case Kind::int16:
      return 'h';
    case Kind::uint16:
    case Kind::wide_char:
      return 'H';
    case Kind::int32:
      return 'i';
    case Kind::uint32:
      return 'I';
    case Kind::int64:
      return 'q';
    case Kind::uint64:
      return 'Q';
    case Kind::float32:
      return 'f';
    case Kind::float64:
      return 'd';
    default:
      return 'B';
  }
}

int give_buffer(PyObject* object, Py_buffer* view, int flags) noexcept {
  auto* self = reinterpret_cast<NumbersObject*>(object);
  if ((flags & PyBUF_WRITABLE) != 0) {
    PyErr_SetString(PyExc_BufferError, "the numbers of a message are read-only");
    return -1;
  }
  ByteView bytes = self->numbers.bytes;
  Py_INCREF(object);
  view->obj = object;
  // Python never writes: the view is read-only.
  view->buf = const_cast<std::byte*>(bytes.data());
  if (bytes.empty()) view->buf = self->format;
  view->len = static_cast<Py_ssize_t>(bytes.size());
  view->readonly = 1;
  view->itemsize = static_cast<Py_ssize_t>(self->numbers.element->flat_bytes);
  view->format = (flags & PyBUF_FORMAT) != 0 ? self->format : nullptr;
  view->ndim = 1;
  view->shape = (flags & PyBUF_ND) != 0 ? &self->count : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? &view->itemsize : nullptr;
  view->suboffsets = nullptr;
  view->internal = nullptr;
  return 0;
}

void free_numbers(PyObject* self) noexcept {
  PyTypeObject* type = Py_TYPE(self);
  reinterpret_cast<NumbersObject*>(self)->numbers.~PackedNumbers();
  PyObject_Free(self);
  Py_DECREF(type);
}

}  // namespace

void add_numbers(py::module_& module) {
  numbers_type = add_type(module, "kitbag._Numbers", sizeof(NumbersObject),
                          {slot(Py_tp_dealloc, free_numbers), slot(Py_bf_getbuffer, give_buffer)});
}

py::object array_of(const PackedNumbers& numbers) {
  auto* object = PyObject_New(NumbersObject, numbers_type);
  if (!object) throw py::error_already_set();
  new (&object->numbers) PackedNumbers(numbers);
  object->count = static_cast<Py_ssize_t>(numbers.size());
  object->format[0] = format_of(*numbers.element);
  object->format[1] = 0;
  auto held = py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(object));
  static PyObject* const asarray = numpy("asarray").release().ptr();
  return py::reinterpret_borrow<py::object>(asarray)(held);
}

py::object numpy(const char* name) {
  return py::module_::import("numpy").attr(name);
}

}  // namespace kitbag::python
