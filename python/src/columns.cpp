#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <stop_token>

#include "bag.h"

// Tables for Python. Arrow's own structs are handed to whoever knows Arrow in a capsule. For NumPy,
// a batch becomes plain objects: each column is a tuple (name, format, length, nulls, buffers,
// children, dictionary, metadata), whose buffers are memoryviews over the memory of the batch; what
// is made of them is kitbag/_arrow.py's.

namespace kitbag::python {

namespace {

/// A batch and its type; buffers refer to it.
struct HeldBatch {
  ArrowArray array{};
  ArrowSchema schema{};

  HeldBatch() = default;
  HeldBatch(const HeldBatch&) = delete;
  HeldBatch& operator=(const HeldBatch&) = delete;
  ~HeldBatch() {
    if (array.release) array.release(&array);
    if (schema.release) schema.release(&schema);
  }
};

/// A buffer of a batch, with the buffer protocol.
struct Buffer {
  std::shared_ptr<HeldBatch> batch;
  const void* data;
  std::size_t bytes;
};

std::size_t bytes_of_elements(const std::string& format, std::size_t count) {
  if (format == "b") return (count + 7) / 8;
  if (format == "c" || format == "C") return count;
  if (format == "s" || format == "S") return 2 * count;
  if (format == "i" || format == "I" || format == "f") return 4 * count;
  if (format == "l" || format == "L" || format == "g" || format.starts_with("t")) return 8 * count;
  if (format.starts_with("w:")) return std::stoull(format.substr(2)) * count;
  return 0;
}

bool has_offsets(const std::string& format) {
  return format == "u" || format == "z" || format == "+l";
}

class BatchReader {
 public:
  explicit BatchReader(std::shared_ptr<HeldBatch> batch) : batch_(std::move(batch)) {}

  py::tuple read() const { return column(batch_->array, batch_->schema); }

 private:
  py::object buffer(const void* data, std::size_t bytes) const {
    if (!data) return py::none();
    return py::memoryview(py::cast(Buffer{batch_, data, bytes}));
  }

  py::tuple column(const ArrowArray& array, const ArrowSchema& schema) const {
    std::string format = schema.format;
    auto count = static_cast<std::size_t>(array.offset + array.length);
    py::list buffers;
    if (array.n_buffers > 0) buffers.append(buffer(array.buffers[0], (count + 7) / 8));
    if (array.n_buffers > 1) {
      std::size_t bytes = has_offsets(format) ? 4 * (count + 1) : bytes_of_elements(format, count);
      buffers.append(buffer(array.buffers[1], bytes));
    }
    if (array.n_buffers > 2) {
      const auto* offsets = static_cast<const std::int32_t*>(array.buffers[1]);
      buffers.append(buffer(array.buffers[2], static_cast<std::size_t>(offsets[count])));
    }
    py::list children;
    for (std::int64_t i = 0; i < array.n_children; ++i) {
      children.append(column(*array.children[i], *schema.children[i]));
    }
    py::object dictionary = py::none();
    if (array.dictionary) dictionary = column(*array.dictionary, *schema.dictionary);
    return py::make_tuple(str(schema.name ? schema.name : ""), format, array.length, array.offset,
                          array.null_count, buffers, children, dictionary);
  }

  std::shared_ptr<HeldBatch> batch_;
};

/// What is left out of a table, by its condition and by its columns.
struct Reports {
  TranscodeReport condition;
  TranscodeReport columns;
};

/// Record batches, one after the other. Keeps alive what they need.
struct Table {
  OfThisProcess<Reports> reports;
  std::shared_ptr<Problems> problems;
  OfThisProcess<Columns> columns;
};

ColumnsRequest request_of(std::vector<std::string> fields, bool has_topic, const std::string& time,
                          const Table& table) {
  ColumnsRequest request;
  request.fields = std::move(fields);
  request.has_topic = has_topic;
  request.time = row_time_of(time);
  request.on_error = OnError::raw;
  request.on_warning = Problems::collector(table.problems);
  request.report = &table.reports->columns;
  return request;
}

AlignMethod method_of(const std::string& name) {
  if (name == "previous") return AlignMethod::previous;
  if (name == "nearest") return AlignMethod::nearest;
  if (name == "linear") return AlignMethod::linear;
  throw Error(ErrorCode::invalid,
              "unknown method \"" + name + "\"; use \"previous\", \"nearest\" or \"linear\"");
}

Table table_of(const Bags& bags, const Wanted& wanted, std::vector<std::string> fields,
               bool has_topic, const std::string& time) {
  Table table{of_this_process(std::make_unique<Reports>()), bags.problems(), {}};
  auto request = request_of(std::move(fields), has_topic, time, table);
  table.columns = of_this_process(
      without_gil([&] { return bags.columns(wanted, request, &table.reports->condition); }));
  table.problems->warn();
  return table;
}

Table aligned_table(const Bags& bags, const Wanted& wanted,
                    const std::vector<std::pair<std::string, std::vector<std::string>>>& topics,
                    const std::optional<std::string>& anchor, double rate_hz,
                    const std::string& method, std::optional<std::int64_t> tolerance_ns,
                    const std::string& time) {
  Table table{of_this_process(std::make_unique<Reports>()), bags.problems(), {}};
  ColumnsRequest as_columns = request_of({}, false, time, table);
  AlignRequest request;
  for (const auto& [topic, fields] : topics) {
    request.topics.push_back({topic, fields, method_of(method),
                              tolerance_ns ? Duration(*tolerance_ns) : Duration::max()});
  }
  if (anchor) {
    request.clock = *anchor;
  } else {
    request.clock = AlignRate{.hz = rate_hz};
  }
  request.time = as_columns.time;
  request.on_error = as_columns.on_error;
  request.on_warning = as_columns.on_warning;
  request.report = &table.reports->columns;
  table.columns = of_this_process(
      without_gil([&] { return bags.align(wanted, request, &table.reports->condition); }));
  table.problems->warn();
  return table;
}

/// A column as BatchReader::read() gives it, without rows.
py::tuple empty_column(const ArrowSchema& schema) {
  py::list buffers;
  for (int i = 0; i < 3; ++i) buffers.append(py::none());
  py::list children;
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    children.append(empty_column(*schema.children[i]));
  }
  py::object dictionary = py::none();
  if (schema.dictionary) dictionary = empty_column(*schema.dictionary);
  return py::make_tuple(str(schema.name ? schema.name : ""), schema.format, 0, 0, 0, buffers,
                        children, dictionary);
}

/// A batch without rows, which has the names and types of the columns.
py::tuple empty(const Table& table) {
  HeldBatch batch;
  table.columns->schema(&batch.schema);
  return empty_column(batch.schema);
}

/// The next batch as a column of Python, or None.
py::object next(Table& table) {
  auto batch = std::make_shared<HeldBatch>();
  bool has_more = interruptibly([&](const std::stop_token& stop) {
    if (!table.columns->next(&batch->array, {.stop = stop})) return false;
    table.columns->schema(&batch->schema);
    return true;
  });
  table.problems->warn();
  throw_if_signalled();
  if (!has_more) {
    warn_of_losses(table.reports->condition);
    warn_of_losses(table.reports->columns);
    return py::none();
  }
  return BatchReader(std::move(batch)).read();
}

/// Columns that keep alive what they report to: whoever takes a stream takes nothing else. They may
/// be read by any thread, with or without the GIL, which is taken only where there is something to
/// say. A warning that is an exception becomes the error of the stream.
class StreamedColumns final : public Columns {
 public:
  explicit StreamedColumns(Table table) : table_(std::move(table)) {}

  void schema(ArrowSchema* out) const override { table_.columns->schema(out); }
  bool next(ArrowArray* out, const Wait& wait) override {
    bool has_more = table_.columns->next(out, wait);
    try {
      warn(!has_more);
    } catch (const Error&) {
      if (has_more) out->release(out);
      throw;
    }
    return has_more;
  }

 private:
  void warn(bool is_end) {
    const Reports& reports = *table_.reports;
    bool has_losses =
        is_end && !(reports.condition.topics.empty() && reports.columns.topics.empty());
    if (!table_.problems->any() && !has_losses) return;
    py::gil_scoped_acquire gil;
    try {
      table_.problems->warn();
      if (!has_losses) return;
      warn_of_losses(reports.condition);
      warn_of_losses(reports.columns);
    } catch (const py::error_already_set& raised) {
      throw Error(ErrorCode::corrupt, raised.what());
    }
  }

  Table table_;
};

py::object arrow_stream(const Bags& bags, const Wanted& wanted, std::vector<std::string> fields,
                        bool has_topic, const std::string& time) {
  Table table = table_of(bags, wanted, std::move(fields), has_topic, time);
  auto stream = std::make_unique<ArrowArrayStream>();
  to_arrow_stream(std::make_unique<StreamedColumns>(std::move(table)), {}, stream.get());
  PyObject* capsule = PyCapsule_New(stream.get(), "arrow_array_stream", [](PyObject* dead) {
    auto* held = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(dead, "arrow_array_stream"));
    if (held->release) held->release(held);
    delete held;
  });
  if (!capsule) throw py::error_already_set();
  stream.release();  // NOLINT(bugprone-unused-return-value): the capsule owns it
  return py::reinterpret_steal<py::object>(capsule);
}

}  // namespace

void add_columns(py::module_& module) {
  py::class_<Buffer>(module, "_Buffer", py::buffer_protocol()).def_buffer([](Buffer& self) {
    // A memoryview that is read-only; pybind11 wants a pointer that is not const.
    return py::buffer_info(static_cast<std::uint8_t*>(const_cast<void*>(self.data)),
                           static_cast<py::ssize_t>(self.bytes), true);
  });
  py::class_<Table>(module, "_Table").def("next", &next).def("empty", &empty);
  module.def("_table", &table_of, py::arg("bags"), py::arg("wanted"), py::arg("fields"),
             py::arg("has_topic"), py::arg("time"));
  module.def("_align", &aligned_table, py::arg("bags"), py::arg("wanted"), py::arg("topics"),
             py::arg("anchor"), py::arg("rate_hz"), py::arg("method"), py::arg("tolerance_ns"),
             py::arg("time"));
  module.def("_arrow_stream", &arrow_stream, py::arg("bags"), py::arg("wanted"), py::arg("fields"),
             py::arg("has_topic"), py::arg("time"));
}

}  // namespace kitbag::python
