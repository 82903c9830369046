#pragma once

#include "python.h"

#include <memory>
#include <optional>

#include "kitbag/stream.h"
#include "kitbag/transcode.h"
#include "kitbag/value.h"

namespace kitbag::python {

/// Adds kitbag.Message and the iterator over messages.
void add_messages(py::module_& module);

/// What an iterator over messages reads, and what it reports to.
struct Reading {
  OfThisProcess<Source> source;
  std::shared_ptr<ValueReader> types;
  std::shared_ptr<Problems> problems;
  OfThisProcess<TranscodeReport> report;  ///< of a condition; may be null
  unsigned process = process_number();
};

/// An iterator of kitbag.Message.
py::object iterator_of(Reading reading);

/// What a kitbag.Message holds; null for any other object.
const Message* message_of(py::handle object);
/// The channel of a kitbag.Message.
ChannelPtr channel_of_message(py::handle message);

}  // namespace kitbag::python
