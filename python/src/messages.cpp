#include "messages.h"

#include <structmember.h>

#include <array>
#include <new>

#include "bag.h"
#include "kitbag/escape.h"
#include "values.h"

// Messages come out of the library in batches of up to 256; Python takes them one by one. What is
// done for each message must be little: one small object, which shares the batch. The text of a
// topic is made once. The payload is exposed by the buffer protocol of the message itself, so
// `raw` is a memoryview over memory that the batch keeps alive: as long as a view is there, so are
// its message and the batch.
//
//   iterator --> Held (batch) <-- message <-- memoryview
//                             <-- value <-- array
//
// When nobody but the iterator holds a batch, it is filled again in place.
//
// These types are written with Python's C interface: one call through pybind11 costs more than all
// that happens here for a message.

namespace kitbag::python {

namespace {

struct Held {
  Batch batch;
  std::shared_ptr<ValueReader> types;
};

struct MessageObject {
  PyObject ob_base;
  PyObject* topic;
  std::shared_ptr<Held> held;
  const Message* message;
  PyObject* data;  ///< null: not decoded so far
};

struct IteratorObject {
  PyObject ob_base;
  Reading reading;
  std::shared_ptr<Held> held;
  std::vector<py::object> topics;  ///< by slot
  std::size_t at;
  bool is_running;
};

PyTypeObject* message_type = nullptr;
PyTypeObject* iterator_type = nullptr;

MessageObject& of(PyObject* self) {
  return *reinterpret_cast<MessageObject*>(self);
}

void free_message(PyObject* self) noexcept {
  PyTypeObject* type = Py_TYPE(self);
  Py_DECREF(of(self).topic);
  Py_XDECREF(of(self).data);
  of(self).held.~shared_ptr();
  PyObject_Free(self);
  Py_DECREF(type);
}

PyObject* get_time(PyObject* self, void* /*closure*/) noexcept {
  return PyLong_FromLongLong(to_ns(of(self).message->log_time));
}

PyObject* get_publish_time(PyObject* self, void* /*closure*/) noexcept {
  return PyLong_FromLongLong(to_ns(of(self).message->publish_time));
}

PyObject* get_sequence(PyObject* self, void* /*closure*/) noexcept {
  return PyLong_FromUnsignedLong(of(self).message->sequence);
}

PyObject* get_raw(PyObject* self, void* /*closure*/) noexcept {
  return PyMemoryView_FromObject(self);
}

PyObject* get_is_state(PyObject* self, void* /*closure*/) noexcept {
  return PyBool_FromLong((of(self).message->flags & kState) != 0);
}

/// The others are asked for rarely.
template <py::object Get(MessageObject&)>
PyObject* get(PyObject* self, void* /*closure*/) noexcept {
  try {
    return Get(of(self)).release().ptr();
  } catch (...) {
    set_error();
    return nullptr;
  }
}

py::object type(MessageObject& self) {
  return str(self.message->channel->type());
}

py::object encoding(MessageObject& self) {
  return str(self.message->channel->encoding);
}

py::object datetime(MessageObject& self) {
  return datetime64(to_ns(self.message->log_time));
}

py::object decoded(MessageObject& self) {
  if (self.data) return py::reinterpret_borrow<py::object>(self.data);
  const Message& message = *self.message;
  py::object data = py::none();
  if (is_decodable(*message.channel, session())) {
    Value value = self.held->types->read(message, self.held);
    data = to_python(value, self.held->types, (*self.held->batch.channels)[message.channel->slot]);
  } else {
    warn("TypeWarning", message.channel->topic + ": messages of the type \"" +
                            message.channel->type() + "\" in the encoding \"" +
                            message.channel->encoding +
                            "\" cannot be decoded: there is no definition of the type");
  }
  self.data = data.inc_ref().ptr();
  return data;
}

int give_payload(PyObject* self, Py_buffer* view, int flags) noexcept {
  static std::byte nothing{};
  ByteView data = of(self).message->data;
  // Python never writes: the view is read-only.
  void* bytes = data.empty() ? &nothing : const_cast<std::byte*>(data.data());
  return PyBuffer_FillInfo(view, self, bytes, static_cast<Py_ssize_t>(data.size()), 1, flags);
}

PyObject* represent_message(PyObject* self) noexcept {
  const Message& message = *of(self).message;
  return PyUnicode_FromFormat("<kitbag.Message %s %s at %lld, %zu bytes>",
                              escaped(message.channel->topic).c_str(),
                              escaped(message.channel->type()).c_str(),
                              static_cast<long long>(to_ns(message.log_time)), message.data.size());
}

// --- the iterator

IteratorObject& iterator(PyObject* self) {
  return *reinterpret_cast<IteratorObject*>(self);
}

py::object interned(const std::string& topic) {
  PyObject* text = str(topic).release().ptr();
  if (!text) throw py::error_already_set();
  PyUnicode_InternInPlace(&text);
  return py::reinterpret_steal<py::object>(text);
}

/// Reads until there is a message; false: the end.
bool fill(IteratorObject& self) {
  self.at = 0;
  if (self.held.use_count() > 1) self.held = std::make_shared<Held>();
  Batch& batch = self.held->batch;
  self.held->types = self.reading.types;
  bool has_more = true;
  do {
    batch.clear();
    has_more = without_gil([&] { return self.reading.source->read(batch, {}); });
    self.reading.problems->warn();
    throw_if_signalled();
  } while (has_more && batch.empty());
  if (!has_more) {
    if (self.reading.report) warn_of_losses(*self.reading.report);
    return false;
  }
  const Channels& channels = *batch.channels;
  for (std::size_t slot = self.topics.size(); slot < channels.size(); ++slot) {
    self.topics.push_back(channels[slot] ? interned(channels[slot]->topic) : py::object());
  }
  return true;
}

/// Fills the batch, or sets an error; false also at the end.
bool fill_or_end(IteratorObject& self) noexcept {
  if (!self.reading.source) return false;
  if (self.reading.process != process_number()) {
    PyErr_SetString(PyExc_RuntimeError,
                    "the iterator was made before the process was forked; call read() again");
    return false;
  }
  if (self.is_running) {
    PyErr_SetString(PyExc_ValueError, "another thread is reading from this iterator");
    return false;
  }
  self.is_running = true;
  bool has_more = false;
  try {
    has_more = fill(self);
  } catch (...) {
    set_error();
  }
  self.is_running = false;
  if (!has_more) {  // at its end, also after an error
    self.held->batch.clear();
    self.reading.source.reset();
  }
  return has_more;
}

PyObject* next_message(PyObject* object) noexcept {
  IteratorObject& self = iterator(object);
  if (self.at == std::as_const(self.held->batch).messages().size() || self.is_running) {
    if (!fill_or_end(self)) return nullptr;
  }
  const Message& message = std::as_const(self.held->batch).messages()[self.at++];
  auto* made = PyObject_New(MessageObject, message_type);
  if (!made) return nullptr;
  made->topic = self.topics[message.channel->slot].inc_ref().ptr();
  new (&made->held) std::shared_ptr<Held>(self.held);
  made->message = &message;
  made->data = nullptr;
  return reinterpret_cast<PyObject*>(made);
}

void free_iterator(PyObject* self) noexcept {
  PyTypeObject* type = Py_TYPE(self);
  IteratorObject& held = iterator(self);
  held.topics.~vector();
  held.held.~shared_ptr();
  held.reading.~Reading();
  PyObject_Free(self);
  Py_DECREF(type);
}

}  // namespace

void add_messages(py::module_& module) {
  static std::array members = {
      PyMemberDef{"topic", T_OBJECT_EX, offsetof(MessageObject, topic), READONLY, nullptr},
      PyMemberDef{nullptr, 0, 0, 0, nullptr},
  };
  static std::array getters = {
      PyGetSetDef{"time", get_time, nullptr, "Log time in nanoseconds since 1970.", nullptr},
      PyGetSetDef{"publish_time", get_publish_time, nullptr,
                  "Publish time in nanoseconds since 1970; the log time if there is none.",
                  nullptr},
      PyGetSetDef{"datetime64", get<datetime>, nullptr, "Log time as numpy.datetime64.", nullptr},
      PyGetSetDef{"sequence", get_sequence, nullptr, "Sequence number; 0 if there is none.",
                  nullptr},
      PyGetSetDef{"raw", get_raw, nullptr,
                  "The payload, without a copy. Valid as long as the view.", nullptr},
      PyGetSetDef{"data", get<decoded>, nullptr,
                  "What the message says; decoded when it is asked for. None, with a warning, if "
                  "the bag has no definition of the type.",
                  nullptr},
      PyGetSetDef{"type", get<type>, nullptr, "Name of the type, \"\" if there is none.", nullptr},
      PyGetSetDef{"encoding", get<encoding>, nullptr, "Encoding of the payload: \"ros1\", \"cdr\".",
                  nullptr},
      PyGetSetDef{"is_state", get_is_state, nullptr,
                  "Whether it is from before the range that was asked for (latched_before).",
                  nullptr},
      PyGetSetDef{nullptr, nullptr, nullptr, nullptr, nullptr},
  };
  message_type = add_type(
      module, "kitbag.Message", sizeof(MessageObject),
      {slot(Py_tp_dealloc, free_message),
       slot(Py_tp_repr, represent_message),
       slot(Py_bf_getbuffer, give_payload),
       {Py_tp_members, members.data()},
       {Py_tp_getset, getters.data()}},
      "A message of a bag. It keeps the chunk that it came in alive; keep bytes(message.raw) of "
      "few messages out of many.");
  iterator_type = add_type(module, "kitbag._Messages", sizeof(IteratorObject),
                           {slot(Py_tp_dealloc, free_iterator), slot(Py_tp_iter, PyObject_SelfIter),
                            slot(Py_tp_iternext, next_message)});
}

py::object iterator_of(Reading reading) {
  auto held = std::make_shared<Held>();
  auto* object = PyObject_New(IteratorObject, iterator_type);
  if (!object) throw py::error_already_set();
  new (&object->reading) Reading(std::move(reading));
  new (&object->held) std::shared_ptr<Held>(std::move(held));
  new (&object->topics) std::vector<py::object>();
  object->at = 0;
  object->is_running = false;
  return py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(object));
}

const Message* message_of(py::handle object) {
  return Py_IS_TYPE(object.ptr(), message_type) ? of(object.ptr()).message : nullptr;
}

ChannelPtr channel_of_message(py::handle message) {
  const MessageObject& self = of(message.ptr());
  return (*self.held->batch.channels)[self.message->channel->slot];
}

}  // namespace kitbag::python
