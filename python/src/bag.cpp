#include "bag.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <cstdlib>

#include "kitbag/bag_info.h"
#include "kitbag/definitions.h"
#include "kitbag/fields.h"
#include "kitbag/pipeline.h"
#include "kitbag/text.h"
#include "kitbag/value.h"
#include "messages.h"

// A bag for Python: one or several bags of the library, and queries as its arguments give them.
//
// Without a condition, the bags skip messages by their index; with one, `nth` and `count` count the
// messages that meet it and are applied behind it.

namespace kitbag::python {

namespace {

Order order_of(const std::string& name) {
  if (name == "time") return Order::time;
  if (name == "reverse_time") return Order::reverse_time;
  if (name == "file") return Order::file;
  throw Error(ErrorCode::invalid,
              "unknown order \"" + name + "\"; use \"time\", \"reverse_time\" or \"file\"");
}

py::object channel_dict(const ChannelInfo& about) {
  const Channel& channel = *about.channel;
  py::dict all;
  all["topic"] = str(channel.topic);
  all["type"] = str(channel.type());
  all["encoding"] = str(channel.encoding);
  bool is_text = true;
  if (channel.schema) {
    const Language* language = find_language(session().registry(), channel.schema->language);
    is_text = !language || language->is_text;
  }
  std::string text = channel.schema ? channel.schema->text : "";
  all["definition"] = is_text ? str(text) : py::object(py::bytes(text));
  all["language"] = str(channel.schema ? channel.schema->language : "");
  py::dict metadata;
  for (const auto& [key, value] : channel.metadata) metadata[str(key)] = str(value);
  all["metadata"] = metadata;
  all["messages"] = about.messages;
  return all;
}

py::object topic_dict(const TopicInfo& topic) {
  py::dict all;
  all["topic"] = str(topic.topic);
  all["type"] = str(topic.type);
  all["messages"] = topic.messages;
  all["connections"] = topic.connections;
  all["is_latched"] = topic.latched > 0;
  all["rate_hz"] = topic.rate_hz;
  return all;
}

/// What is known of each bag without reading messages.
py::list describe(const Bags& bags) {
  py::list all;
  for (std::size_t i = 0; i < bags.all().size(); ++i) {
    const Bag& bag = *bags.all()[i];
    auto [info, extras] =
        without_gil([&] { return std::pair(describe_bag(bags.paths()[i], bag), bag.extras()); });
    const Summary& summary = info.summary;
    py::dict one;
    one["path"] = str(info.path);
    one["format"] = str(summary.format);
    one["version"] = str(summary.version);
    one["size_bytes"] = summary.size_bytes;
    one["start"] = to_ns(summary.start);
    one["end"] = to_ns(summary.end);
    one["messages"] = summary.messages;
    one["is_indexed"] = summary.indexed;
    one["compression"] = str(info.compression);
    py::list topics;
    for (const TopicInfo& topic : topics_of(info)) topics.append(topic_dict(topic));
    one["topics"] = topics;
    py::list channels;
    for (const ChannelInfo& channel : info.channels) channels.append(channel_dict(channel));
    one["channels"] = channels;
    py::dict metadata;
    py::list attachments;
    for (const Extra& extra : extras) {
      if (const auto* named = std::get_if<Metadata>(&extra)) {
        py::dict values;
        for (const auto& [key, value] : named->values) values[str(key)] = str(value);
        metadata[str(named->name)] = values;
      } else if (const auto* attachment = std::get_if<Attachment>(&extra)) {
        attachments.append(str(attachment->name));
      }
    }
    one["metadata"] = metadata;
    one["attachments"] = attachments;
    all.append(one);
  }
  return all;
}

/// Messages of each topic, without reading any.
py::dict counts(const Bags& bags) {
  py::dict all;
  for (const BagPtr& bag : bags.all()) {
    const Summary& summary = bag->summary();
    for (const ChannelPtr& channel : *summary.channels) {
      if (!channel) continue;
      std::uint64_t more =
          channel->slot < summary.message_counts.size() ? summary.message_counts[channel->slot] : 0;
      py::object topic = str(channel->topic);
      if (all.contains(topic)) more += all[topic].cast<std::uint64_t>();
      all[topic] = more;
    }
  }
  return all;
}

DefinitionEnvironment environment() {
  auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  return {.kitbag_definitions = variable("KITBAG_DEFINITIONS"),
          .ros_package_path = variable("ROS_PACKAGE_PATH"),
          .ament_prefix_path = variable("AMENT_PREFIX_PATH")};
}

constexpr const char* kBagKey = "kitbag_file";

/// Notes in the channels of a bag where it is.
class TellBag final : public Stage {
 public:
  explicit TellBag(std::string path) : path_(std::move(path)) {}

  ChannelPtr map(const ChannelPtr& channel) override {
    auto told = std::make_shared<Channel>(*channel);
    told->metadata[kBagKey] = path_;
    return told;
  }

 private:
  std::string path_;
};

py::object messages(const Bags& bags, const Wanted& wanted) {
  auto report = std::make_unique<TranscodeReport>();
  auto source = without_gil([&] { return bags.read(wanted, report.get()); });
  if (wanted.where.empty()) report.reset();
  return iterator_of({of_this_process(std::move(source)), bags.types(), bags.problems(),
                      of_this_process(std::move(report))});
}

}  // namespace

Bags::Bags(std::vector<std::string> paths, const ReadOptions& options, bool is_strict,
           const std::vector<std::string>& definitions)
    : paths_(std::move(paths)),
      problems_(std::make_shared<Problems>()),
      types_(std::make_shared<ValueReader>(session())),
      bags_(new std::vector<BagPtr>) {
  if (paths_.empty()) throw Error(ErrorCode::invalid, "no bag is named");
  ReadOptions how = options;
  if (!is_strict) how.on_problem = Problems::collector(problems_);
  interruptibly([&](const std::stop_token& stop) {
    how.stop = stop;
    DefinitionPaths places = definition_places(definitions);
    std::vector<DefinitionNews> news;
    for (const std::string& path : paths_) {
      bags_->push_back(defined(session().open(path, how), places, session(),
                               [&](const DefinitionNews& each) { news.push_back(each); }));
    }
    assumptions_ = describe_assumptions(news);
  });
}

std::pair<Time, Time> Bags::span() const {
  std::pair<Time, Time> span;
  bool is_first = true;
  for (const BagPtr& bag : *bags_) {
    const Summary& summary = bag->summary();
    if (summary.messages == 0) continue;
    span.first = is_first ? summary.start : std::min(span.first, summary.start);
    span.second = is_first ? summary.end : std::max(span.second, summary.end);
    is_first = false;
  }
  return span;
}

Query Bags::query(const Wanted& wanted) const {
  auto time_or = [&](const GivenTime& given, Time otherwise) {
    return std::holds_alternative<std::monostate>(given) ? otherwise : this->time(given);
  };
  Query query;
  query.select = wanted.select;
  query.begin = time_or(wanted.start, Time::min());
  query.end = time_or(wanted.end, Time::max());
  query.order = order_of(wanted.order);
  query.by = wanted.by;
  query.nth = wanted.nth;
  query.count = wanted.count;
  query.latched_before = wanted.latched_before;
  return query;
}

Time Bags::time(const GivenTime& given) const {
  if (const auto* ns = std::get_if<std::int64_t>(&given)) return from_ns(*ns);
  const auto* text = std::get_if<std::string>(&given);
  if (!text) throw Error(ErrorCode::invalid, "a time is needed");
  auto [first, last] = span();
  return parse_time(*text).resolve(first, last);
}

std::unique_ptr<Source> Bags::read(const Wanted& wanted, TranscodeReport* report) const {
  auto read_all = [&](const Query& query) {
    return bags_->size() == 1 ? bags_->front()->read(query) : kitbag::read(*bags_, query);
  };
  return narrowed(wanted, read_all, report);
}

std::unique_ptr<Source> Bags::read_in_turn(const Wanted& wanted, TranscodeReport* report) const {
  std::vector<BagPtr> told;
  for (std::size_t i = 0; i < bags_->size(); ++i) {
    told.push_back(
        through((*bags_)[i], [path = paths_[i]] { return std::make_unique<TellBag>(path); }));
  }
  auto read_all = [&](const Query& query) { return kitbag::read_in_turn(told, query); };
  return narrowed(wanted, read_all, report);
}

std::unique_ptr<Source> Bags::narrowed(
    const Wanted& wanted, const std::function<std::unique_ptr<Source>(const Query&)>& read_all,
    TranscodeReport* report) const {
  Query wants = query(wanted);
  if (wanted.where.empty()) return read_all(wants);
  Query all = wants;
  all.nth = 0;
  all.count = UINT64_MAX;
  auto source = read_all(all);
  require_condition(wanted.where, *source->channels(), session());
  return slice(through(std::move(source), where(wanted.where, OnError::skip, report, session())),
               wants.nth, wants.count);
}

std::unique_ptr<Columns> Bags::columns(const Wanted& wanted, const ColumnsRequest& request,
                                       TranscodeReport* report) const {
  if (wanted.where.empty() && bags_->size() == 1) {
    return kitbag::columns(*bags_->front(), query(wanted), request, session());
  }
  return kitbag::columns(read(wanted, report), request, session());
}

std::unique_ptr<Columns> Bags::align(const Wanted& wanted, const AlignRequest& request,
                                     TranscodeReport* report) const {
  if (wanted.where.empty() && bags_->size() == 1) {
    return kitbag::align(*bags_->front(), query(wanted), request, session());
  }
  return kitbag::align(read(wanted, report), request, session());
}

std::pair<Time, Time> Bags::times(const Wanted& wanted) const {
  auto [first, last] = span();
  Query wants = query(wanted);
  return {std::max(first, wants.begin), std::min(last, wants.end)};
}

std::string bag_of(const Channel& channel) {
  auto found = channel.metadata.find(kBagKey);
  return found == channel.metadata.end() ? std::string() : found->second;
}

DefinitionPaths definition_places(const std::vector<std::string>& folders) {
  return definition_paths(folders, environment());
}

OnError on_error_of(const std::string& name) {
  if (name == "stop") return OnError::stop;
  if (name == "skip") return OnError::skip;
  if (name == "raw") return OnError::raw;
  throw Error(ErrorCode::invalid,
              "unknown on_error \"" + name + "\"; use \"stop\", \"skip\" or \"raw\"");
}

RowTime row_time_of(const std::string& name) {
  if (name == "log_time") return RowTime::log_time;
  if (name == "publish_time") return RowTime::publish_time;
  if (name == "header_stamp") return RowTime::header_stamp;
  throw Error(ErrorCode::invalid, "unknown time \"" + name +
                                      "\"; use \"log_time\", \"publish_time\" or "
                                      "\"header_stamp\"");
}

void warn_of_losses(const TranscodeReport& report) {
  for (const auto& [topic, lost] : report.topics) {
    if (lost.is_dropped) warn("TypeWarning", topic + " is left out: " + lost.first_error);
    if (lost.skipped > 0) {
      warn("TypeWarning", topic + ": " + std::to_string(lost.skipped) +
                              " messages are left out: " + lost.first_error);
    }
    if (lost.raw > 0) {
      warn("TypeWarning", topic + ": " + std::to_string(lost.raw) +
                              " messages cannot be decoded: " + lost.first_error);
    }
    if (!lost.left_out.empty()) {
      warn("TypeWarning", topic + ": " + lost.new_type + " has no place for " + lost.left_out);
    }
  }
}

void add_bags(py::module_& module) {
  py::class_<Wanted>(module, "_Wanted")
      .def(py::init([](std::vector<std::string> topics, std::vector<std::string> exclude,
                       std::vector<std::string> types, GivenTime start, GivenTime end,
                       std::string where, std::string order, std::uint64_t nth, std::uint64_t count,
                       bool latched_before) {
             return Wanted{{.topics = std::move(topics),
                            .exclude = std::move(exclude),
                            .types = std::move(types)},
                           std::move(start),
                           std::move(end),
                           std::move(where),
                           std::move(order),
                           nth,
                           count,
                           latched_before};
           }),
           py::kw_only(), py::arg("topics"), py::arg("exclude"), py::arg("types"), py::arg("start"),
           py::arg("end"), py::arg("where"), py::arg("order"), py::arg("nth") = 0,
           py::arg("count") = UINT64_MAX, py::arg("latched_before") = false);
  py::class_<Bags, std::shared_ptr<Bags>>(module, "_Bags")
      .def(py::init([](std::vector<std::string> paths, const std::string& format,
                       const std::string& gpg_key, unsigned threads, bool is_strict,
                       const std::vector<std::string>& definitions) {
             ReadOptions options;
             options.format = format;
             options.gpg_key = gpg_key;
             options.threads = threads;
             auto bags = std::make_shared<Bags>(std::move(paths), options, is_strict, definitions);
             bags->problems()->warn();
             for (const std::string& line : bags->assumptions()) warn("TypeWarning", line);
             throw_if_signalled();
             return bags;
           }),
           py::arg("paths"), py::kw_only(), py::arg("format"), py::arg("gpg_key"),
           py::arg("threads"), py::arg("strict"), py::arg("definitions"))
      .def("is_of_this_process", &Bags::is_of_this_process)
      .def("describe", &describe)
      .def("counts", &counts)
      .def(
          "time_ns", [](const Bags& bags, const GivenTime& time) { return to_ns(bags.time(time)); },
          py::arg("time"))
      .def("messages", &messages, py::arg("wanted"));
}

}  // namespace kitbag::python
