#pragma once

// Python.h wants to be the first header of a file; pybind11 brings it.
#include <pybind11/pybind11.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/session.h"
#include "kitbag/time.h"

// What all files of the module share: the session, errors and warnings, and the rule for the GIL.
//
// The GIL is released by without_gil() around everything that reads or writes files, and nowhere
// else. What runs there calls nothing of Python: damage is collected in Problems and becomes
// warnings when the GIL is held again. Signals are heeded between batches (throw_if_signalled()),
// so that a KeyboardInterrupt comes within the time of a batch. Python runs its handlers on the
// main thread only; so one call that may take or wait long works on another thread
// (interruptibly()).
//
// A process that was forked has the memory of its parent, but none of its threads, and it shares
// its files. So it gets a session of its own, and what reads or writes in the parent is leaked in
// the child instead of destroyed (InThisProcess). Bags are opened again, iterators refuse.

namespace kitbag::python {

namespace py = pybind11;

/// The session of all bags of this process. Lives as long as the process.
const Session& session();

/// How often this process and its ancestors were forked since the module was imported.
unsigned process_number();
/// Counts forks from now on.
void watch_forks();

/// Deletes an object in the process that has made it.
template <class T>
class InThisProcess {
 public:
  void operator()(T* made) const {
    if (process_ == process_number()) delete made;
  }

 private:
  unsigned process_ = process_number();
};
template <class T>
using OfThisProcess = std::unique_ptr<T, InThisProcess<T>>;
template <class T>
OfThisProcess<T> of_this_process(std::unique_ptr<T> made) {
  return OfThisProcess<T>(made.release());
}

/// Adds kitbag.Error and the warnings to the module, and translates kitbag::Error.
void add_errors(py::module_& module);
/// Sets the Python error for the C++ exception that is being handled. For functions that Python
/// calls without pybind11.
void set_error();

/// Throws KeyboardInterrupt, or what another signal handler of Python has raised. Needs the GIL.
inline void throw_if_signalled() {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

/// Calls `work` while other threads of Python run.
template <class Work>
auto without_gil(Work work) {
  py::gil_scoped_release released;
  return work();
}

/// Calls `work` with a stop token, on a thread of its own. Meanwhile this one heeds signals, and
/// calls `between` with the stop source twenty times a second and when the work has ended. What a
/// signal's handler or `between` throws stops the work, and is thrown when that has ended.
template <class Work, class Between>
auto interruptibly(Work work, Between between) {
  std::stop_source stop;
  auto done =
      without_gil([&] { return std::async(std::launch::async, std::ref(work), stop.get_token()); });
  auto is_done = [&] {
    return done.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready;
  };
  try {
    for (bool has_ended = false; !has_ended;) {
      has_ended = without_gil(is_done);
      throw_if_signalled();
      between(stop);
    }
  } catch (...) {
    stop.request_stop();
    without_gil([&] { done.wait(); });
    throw;
  }
  return done.get();
}
template <class Work>
auto interruptibly(Work work) {
  return interruptibly(work, [](std::stop_source&) {});
}

/// Damage, or other news, that came while the GIL was released.
class Problems {
 public:
  /// "DamageWarning"; or "TypeWarning" for what is worth knowing, remarks too.
  explicit Problems(const char* category = "DamageWarning") : category_(category) {}

  /// The function that collects. It may outlive the GIL, and this object's first owner.
  static OnProblem collector(const std::shared_ptr<Problems>& problems);

  /// Makes warnings of the category of what has come so far. Throws if the program has
  /// turned them into exceptions. Needs the GIL.
  void warn();
  /// Whether warn() has something to say.
  bool any() const;

 private:
  const std::string category_;
  mutable std::mutex mutex_;
  std::vector<Error> all_;
};

/// Warns with `category`, a name in the module: "DamageWarning".
void warn(const char* category, const std::string& text);

/// Text of a bag as a str. Bytes that are not UTF-8 become lone surrogates, as in file names.
inline py::object str(std::string_view text) {
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

/// The UTF-8 of a str, with lone surrogates as the bytes that they stand for. Throws TypeError.
std::string utf8(py::handle text);

/// Adds a type whose objects only this module makes, as an attribute of the module. It is never
/// freed. `name` is "kitbag.Message"; `slots` need no end.
PyTypeObject* add_type(py::module_& module, const char* name, std::size_t object_bytes,
                       std::vector<PyType_Slot> slots, const char* doc = nullptr);

/// A slot of a type that holds a function.
template <class Function>
PyType_Slot slot(int id, Function* function) {
  return {id, reinterpret_cast<void*>(function)};
}

}  // namespace kitbag::python
