#include "python.h"

#include <pthread.h>

#include <atomic>
#include <cstring>

#include "kitbag/escape.h"

namespace kitbag::python {

namespace {

std::atomic<const Session*> current_session = nullptr;
std::atomic<unsigned> forks = 0;

// Borrowed from the module, which is never unloaded.
PyObject* error_type = nullptr;
PyObject* module_dict = nullptr;

const char* code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::not_found:
      return "not_found";  // to_string() is for people
    default:
      return to_string(code);
  }
}

void raise(const Error& error) {
  py::object value = py::reinterpret_borrow<py::object>(error_type)(escaped(error.what()));
  value.attr("code") = code_name(error.code());
  value.attr("message") = str(error.message());
  value.attr("file") = error.file().empty() ? py::object(py::none()) : str(error.file());
  value.attr("offset") = error.offset() == Error::kNoOffset ? py::object(py::none())
                                                            : py::object(py::int_(error.offset()));
  PyErr_SetObject(error_type, value.ptr());
}

}  // namespace

const Session& session() {
  const Session* known = current_session.load();
  if (known) return *known;
  // Never destroyed: threads that read ahead may still run while the process ends.
  auto made = std::make_unique<const Session>();
  return current_session.compare_exchange_strong(known, made.get()) ? *made.release() : *known;
}

unsigned process_number() {
  return forks.load(std::memory_order_relaxed);
}

void watch_forks() {
  pthread_atfork(nullptr, nullptr, [] {
    ++forks;
    current_session = nullptr;
  });
}

void add_errors(py::module_& module) {
  module_dict = PyModule_GetDict(module.ptr());
  module.def("_escaped", [](py::handle text) { return escaped(utf8(text)); });
  error_type = PyErr_NewExceptionWithDoc(
      "kitbag.Error",
      "What kitbag raises.\n\n"
      "code: \"io\", \"corrupt\", \"truncated\", \"unsupported\", \"invalid\", \"not_found\",\n"
      "\"cancelled\", \"locked\", \"busy\", \"limit\" or \"exists\"; message: the sentence alone;\n"
      "file and offset: where it is, or None.",
      PyExc_RuntimeError, nullptr);
  module.attr("Error") = py::reinterpret_steal<py::object>(error_type);
  for (const char* name : {"DamageWarning", "TypeWarning"}) {
    std::string full = std::string("kitbag.") + name;
    PyObject* type = PyErr_NewException(full.c_str(), PyExc_UserWarning, nullptr);
    module.attr(name) = py::reinterpret_steal<py::object>(type);
  }
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      raise(error);
    }
  });
}

void set_error() {
  try {
    throw;
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const Error& error) {
    raise(error);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const py::builtin_exception& error) {
    error.set_error();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

OnProblem Problems::collector(const std::shared_ptr<Problems>& problems) {
  return [problems](const Error& problem) {
    constexpr std::size_t kMost = 100;  // a bag with more is hopeless
    std::lock_guard lock(problems->mutex_);
    bool is_wanted = problem.code() != ErrorCode::remark || problems->category_ != "DamageWarning";
    if (is_wanted && problems->all_.size() < kMost) problems->all_.push_back(problem);
  };
}

bool Problems::any() const {
  std::lock_guard lock(mutex_);
  return !all_.empty();
}

void Problems::warn() {
  std::vector<Error> all;
  {
    std::lock_guard lock(mutex_);
    all.swap(all_);
  }
  for (const Error& problem : all) python::warn(category_.c_str(), problem.what());
}

void warn(const char* category, const std::string& text) {
  PyObject* type = PyDict_GetItemString(module_dict, category);
  if (PyErr_WarnEx(type, escaped(text).c_str(), 1) != 0) throw py::error_already_set();
}

std::string utf8(py::handle text) {
  Py_ssize_t length = 0;
  if (PyUnicode_Check(text.ptr())) {
    if (const char* known = PyUnicode_AsUTF8AndSize(text.ptr(), &length)) {
      return {known, static_cast<std::size_t>(length)};
    }
    PyErr_Clear();  // lone surrogates
  }
  auto bytes = py::reinterpret_steal<py::bytes>(
      PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
  if (!bytes) throw py::error_already_set();
  return bytes;
}

PyTypeObject* add_type(py::module_& module, const char* name, std::size_t object_bytes,
                       std::vector<PyType_Slot> slots, const char* doc) {
  if (doc) slots.push_back({Py_tp_doc, const_cast<char*>(doc)});
  slots.push_back({0, nullptr});
  PyType_Spec spec{name, static_cast<int>(object_bytes), 0,
                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots.data()};
  PyObject* type = PyType_FromSpec(&spec);
  if (!type) throw py::error_already_set();
  const char* dot = std::strrchr(name, '.');
  module.attr(dot ? dot + 1 : name) = py::reinterpret_borrow<py::object>(type);
  return reinterpret_cast<PyTypeObject*>(type);
}

}  // namespace kitbag::python
