#include "writer.h"

#include <pybind11/stl.h>

#include <deque>
#include <map>
#include <mutex>
#include <optional>

#include "kitbag/definitions.h"
#include "kitbag/transcode.h"
#include "kitbag/value.h"
#include "messages.h"
#include "structures.h"
#include "values.h"

// A bag that is written from Python. Channels have numbers: the package looks up the number of a
// topic and passes it with each message.
//
// Messages are written with the GIL held: most calls copy a few hundred bytes. Creating, flushing
// and closing, which wait for the disk, release it. So a lock is held around each call of the
// writer, which takes one at a time. Whoever waits for it does so without the GIL.
//
// Converting an object may run code of Python, and with it any other method here: nothing is locked
// then, and no reference into `outputs_` is older than that.

namespace kitbag::python {

namespace {

struct Definition {
  std::string type;
  std::optional<std::string> text;
  std::string language;
  std::map<std::string, std::string> metadata;
};

class BagWriter {
 public:
  BagWriter(std::string path, const py::dict& arguments, bool appends)
      : path_(std::move(path)), problems_(std::make_shared<Problems>()) {
    WriteOptions options = write_options(arguments, problems_);
    writer_ = of_this_process(without_gil([&] {
      return appends ? session().append(path_, options) : session().create(path_, options);
    }));
    problems_->warn();
  }

  /// Declares a topic; without a text of its definition, folders are searched for it.
  std::size_t add(const std::string& topic, const std::string& encoding,
                  const Definition& definition, const std::vector<std::string>& folders,
                  const std::vector<std::string>& environment) {
    auto channel = std::make_shared<Channel>();
    channel->topic = topic;
    channel->encoding = encoding;
    channel->metadata = definition.metadata;
    if (definition.type.empty()) return add(channel);
    const Codec* codec = find_codec(session().registry(), encoding);
    auto schema = std::make_shared<Schema>();
    schema->name = definition.type;
    channel->schema = schema;
    if (!definition.text) {
      if (codec && codec->is_self_describing) return add(channel);
      return add(defined(channel, folders, environment));
    }
    schema->text = *definition.text;
    schema->language = definition.language;
    if (schema->language.empty() && codec) schema->language = codec->language;
    const Language* language = find_language(session().registry(), schema->language);
    if (language && language->metadata) {
      TypePtr type = type_of(*channel, session());
      for (auto& [key, value] : language->metadata(*schema, *type)) {
        channel->metadata.emplace(key, value);
      }
    }
    return add(channel);
  }

  /// Declares the channel of a message or structure that was read, under another name.
  std::optional<std::size_t> add_copy(py::handle topic, py::handle data) {
    ChannelPtr original = message_of(data) ? channel_of_message(data) : channel_of(data);
    if (!original) return std::nullopt;
    auto channel = std::make_shared<Channel>(*original);
    channel->topic = utf8(topic);
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      if (same_content(*outputs_[i].channel, *channel)) return i;
    }
    return add(channel);
  }

  void write(std::size_t index, py::handle data, std::int64_t log_time, std::int64_t publish_time,
             std::uint32_t sequence) {
    Stamp stamp{from_ns(log_time), from_ns(publish_time), sequence};
    if (const Message* message = message_of(data)) {
      if (has_same_payload(*message->channel, *outputs_.at(index).channel)) {
        auto locked = lock();
        return append(outputs_.at(index), stamp, message->data);
      }
      return write(index, data.attr("data"), log_time, publish_time, sequence);
    }
    if (PyBytes_Check(data.ptr()) || PyMemoryView_Check(data.ptr()) ||
        PyByteArray_Check(data.ptr())) {
      Value payload = from_python(data);
      auto locked = lock();
      return append(outputs_.at(index), stamp, payload.numbers().bytes);
    }
    Value value = from_python(data);
    auto locked = lock();
    Output& output = outputs_.at(index);
    if (!output.values) output.values.emplace(*output.channel, session());
    append(output, stamp, output.values->write(value));
  }

  std::uint64_t size_bytes() {
    auto locked = lock();
    return to_write().size_bytes();
  }

  void close() {
    if (!writer_) return;
    auto locked = lock();
    if (!writer_) return;  // by another thread
    to_write();
    auto closed = std::move(writer_);
    without_gil([&] {
      declare_silent(*closed);
      closed->close();
      closed.reset();
    });
    unlock_and_warn(std::move(locked));
  }

  void flush() {
    auto locked = lock();
    Writer& writer = to_write();
    without_gil([&] { writer.flush(); });
    unlock_and_warn(std::move(locked));
  }

  void abandon() {
    auto locked = lock();
    auto closed = std::move(writer_);
    without_gil([&] { closed.reset(); });
  }

  bool is_open() const { return writer_ != nullptr; }
  const std::string& path() const { return path_; }

 private:
  struct Output {
    ChannelPtr channel;
    std::optional<ValueWriter> values;
    bool is_written = false;
  };

  /// Not in a process that was forked while another thread had it: to_write() refuses there.
  std::unique_lock<std::mutex> lock() {
    if (process_ != process_number()) return {};
    std::unique_lock locked(mutex_, std::try_to_lock);
    if (!locked) without_gil([&] { locked.lock(); });
    return locked;
  }

  /// Who is shown a warning may write to the bag.
  void unlock_and_warn(std::unique_lock<std::mutex> locked) {
    if (locked) locked.unlock();
    problems_->warn();
  }

  /// Types of one name may have other definitions. One that is not known is taken for the same.
  static bool has_same_payload(const Channel& from, const Channel& to) {
    if (from.encoding != to.encoding || from.type() != to.type()) return false;
    auto is_known = [](const Channel& each) { return each.schema && !each.schema->text.empty(); };
    if (from.schema == to.schema || !is_known(from) || !is_known(to)) return true;
    return from.schema->language == to.schema->language && from.schema->text == to.schema->text;
  }

  std::size_t add(ChannelPtr channel) {
    to_write();
    outputs_.push_back({std::move(channel), std::nullopt, false});
    return outputs_.size() - 1;
  }

  static ChannelPtr defined(const ChannelPtr& channel, const std::vector<std::string>& folders,
                            const std::vector<std::string>& environment) {
    DefinitionEnvironment variables{environment.at(0), environment.at(1), environment.at(2)};
    std::string why;
    auto stage = define(definition_paths(folders, variables), session(),
                        [&](const DefinitionNews& news) { why = news.text; });
    ChannelPtr found = stage->map(channel);
    if (!found || !found->schema || found->schema->language.empty()) {
      throw Error(ErrorCode::not_found,
                  channel->topic + ": there is no definition of " + channel->type() +
                      "; pass definition=" + (why.empty() ? "" : " (" + why + ")"));
    }
    return found;
  }

  /// Needs the lock.
  void append(Output& output, const Stamp& stamp, ByteView payload) {
    to_write().append(output.channel, stamp, {&payload, 1});
    output.is_written = true;
  }

  /// Topics without messages are part of the bag too.
  void declare_silent(Writer& writer) const {
    auto table = std::make_shared<Channels>();
    for (const Output& output : outputs_) {
      if (output.is_written) continue;
      auto channel = std::make_shared<Channel>(*output.channel);
      channel->slot = static_cast<std::uint32_t>(table->size());
      table->push_back(std::move(channel));
    }
    if (table->empty()) return;
    Batch silent;
    silent.channels = table;
    writer.write(std::move(silent));
  }

  Writer& to_write() const {
    if (process_ != process_number()) {
      throw Error(ErrorCode::invalid, "the bag is written by the process that forked this one",
                  path_);
    }
    if (writer_) return *writer_;
    throw Error(ErrorCode::invalid, "the bag is closed", path_);
  }

  std::string path_;
  unsigned process_ = process_number();
  std::shared_ptr<Problems> problems_;
  std::mutex mutex_;
  OfThisProcess<Writer> writer_;
  std::deque<Output> outputs_;  ///< references stay valid
};

}  // namespace

WriteOptions write_options(const py::dict& arguments, const std::shared_ptr<Problems>& problems) {
  WriteOptions options;
  options.may_replace = false;
  options.on_warning = Problems::collector(problems);
  for (auto [key, value] : arguments) {
    if (value.is_none()) continue;
    std::string name = py::str(key);
    if (name == "format") {
      options.format = value.cast<std::string>();
    } else if (name == "format_version") {
      options.format_version = value.cast<std::string>();
    } else if (name == "compression") {
      options.compression = value.cast<std::string>();
    } else if (name == "preset") {
      options.preset = value.cast<std::string>();
    } else if (name == "ros_distro") {
      options.ros_distro = value.cast<std::string>();
    } else if (name == "chunk_bytes") {
      options.chunk_bytes = value.cast<std::size_t>();
    } else if (name == "threads") {
      options.threads = value.cast<unsigned>();
    } else if (name == "visible") {
      options.is_visible = value.cast<bool>();
    } else if (name == "replace") {
      options.may_replace = value.cast<bool>();
    } else {
      throw py::type_error("unknown argument \"" + name + "\"");
    }
  }
  return options;
}

void add_writers(py::module_& module) {
  py::class_<BagWriter>(module, "_Writer")
      .def(py::init<std::string, py::dict, bool>(), py::arg("path"), py::arg("options"),
           py::arg("appends"))
      .def(
          "add",
          [](BagWriter& writer, py::handle topic, const std::string& encoding, std::string type,
             std::optional<std::string> definition, std::string language,
             std::map<std::string, std::string> metadata, const std::vector<std::string>& folders,
             const std::vector<std::string>& environment) {
            return writer.add(
                utf8(topic), encoding,
                {std::move(type), std::move(definition), std::move(language), std::move(metadata)},
                folders, environment);
          },
          py::arg("topic"), py::arg("encoding"), py::arg("type"), py::arg("definition"),
          py::arg("language"), py::arg("metadata"), py::arg("folders"), py::arg("environment"))
      .def("add_copy", &BagWriter::add_copy, py::arg("topic"), py::arg("data"))
      .def("write", &BagWriter::write, py::arg("channel"), py::arg("data"), py::arg("log_time"),
           py::arg("publish_time"), py::arg("sequence"))
      .def("close", &BagWriter::close)
      .def("flush", &BagWriter::flush)
      .def("abandon", &BagWriter::abandon)
      .def_property_readonly("size_bytes", &BagWriter::size_bytes)
      .def_property_readonly("is_open", &BagWriter::is_open)
      .def_property_readonly("path", &BagWriter::path);
  module.def(
      "_format_of",
      [](const std::string& path, const std::string& format) {
        return std::string(session().format_for(path, format).name);
      },
      py::arg("path"), py::arg("format"));
}

}  // namespace kitbag::python
