#include <sstream>
#include <utility>

#include "capi/handles.h"
#include "kitbag/join.h"
#include "kitbag/repair.h"

// A bag is open for reading or for writing. kitbag_index() and kitbag_record() turn one that is
// written into one that is read, so that a program keeps its handle from the first message to the
// last look.

using kitbag::Error;
using kitbag::ErrorCode;

void kitbag_bag::require_open() const {
  if (bag || writer) return;
  throw Error(ErrorCode::invalid,
              "the recording into this bag has failed; close it, and open it to read what it has",
              path);
}

const kitbag::Bag& kitbag_bag::to_read() const {
  if (bag) return *bag;
  require_open();
  throw Error(ErrorCode::invalid, "the bag is open for writing; close it, or call kitbag_index()",
              path);
}

kitbag::Writer& kitbag_bag::to_write() const {
  if (writer) return *writer;
  require_open();
  throw Error(ErrorCode::invalid, "the bag is open for reading", path);
}

void kitbag_bag::open_for_reading() {
  const kitbag::Session& session = kitbag::c::session();
  std::vector<kitbag::DefinitionNews> news;
  bag = kitbag::defined(session.open(path, reading), definitions, session,
                        [&](const kitbag::DefinitionNews& each) { news.push_back(each); });
  for (const std::string& line : kitbag::describe_assumptions(news)) {
    if (reading.on_problem) reading.on_problem(Error(ErrorCode::remark, line, path));
  }
  mode = KITBAG_READ;
  for (const auto& channel : *bag->channels()) {
    if (channel) topics->of(channel);
  }
}

void kitbag_bag::open_for_writing() {
  const kitbag::Session& session = kitbag::c::session();
  writer.reset();
  if (mode == KITBAG_JOIN) {
    writer = kitbag::join_to(path, writing, session).next(0);
  } else if (mode == KITBAG_APPEND) {
    writer = session.append(path, writing);
  } else {
    writer = session.create(path, writing);
  }
}

/// A batch without messages declares the topics to which nothing was written, so that they are in
/// the bag all the same.
void kitbag_bag::complete() {
  if (!writer) return;
  kitbag::Batch silent;
  auto table = std::make_shared<kitbag::Channels>();
  for (const auto& [topic, is_written] : written) {
    if (is_written) continue;
    auto channel = std::make_shared<kitbag::Channel>(*topic->channel);
    channel->slot = static_cast<std::uint32_t>(table->size());
    table->push_back(std::move(channel));
  }
  silent.channels = table;
  if (!table->empty()) writer->write(std::move(silent));
  writer->close();
  writer.reset();
}

namespace kitbag::c {

namespace {

/// The parts of a list that is separated by ':'.
std::vector<std::string> folders_of(const std::string& list) {
  std::vector<std::string> folders;
  std::istringstream rest(list);
  for (std::string folder; std::getline(rest, folder, ':');) {
    if (!folder.empty()) folders.push_back(folder);
  }
  return folders;
}

void set_options(kitbag_bag& bag, const kitbag_storage& storage) {
  OnProblem on_problem;
  if (storage.on_problem) {
    on_problem = [call = storage.on_problem, context = storage.context](const Error& problem) {
      kitbag_error error = error_of(problem);
      call(context, &error);
    };
  }
  bag.reading.format = text_of(storage.format);
  bag.reading.threads = storage.threads;
  bag.definitions = definition_paths(folders_of(text_of(storage.definitions)), {});
  bag.reading.on_problem = on_problem;
  bag.writing.format = bag.reading.format;
  bag.writing.format_version = text_of(storage.format_version);
  if (storage.compression) bag.writing.compression = storage.compression;
  bag.writing.preset = text_of(storage.preset);
  if (storage.chunk_bytes > 0) {
    bag.writing.chunk_bytes = static_cast<std::size_t>(storage.chunk_bytes);
  }
  bag.writing.threads = storage.threads;
  bag.writing.may_replace = storage.may_replace;
  bag.writing.on_warning = on_problem;
}

std::string encoding_of(const BagInfo& bag, const TopicInfo& topic) {
  for (const ChannelInfo& each : bag.channels) {
    if (each.channel->topic == topic.topic && each.channel->type() == topic.type) {
      return each.channel->encoding;
    }
  }
  return {};
}

}  // namespace

KeptInfo::KeptInfo(const BagInfo& about, const std::vector<Extra>& extras)
    : bag(about), topics_of_bag(kitbag::topics_of(bag)) {
  auto kept = [this](std::string text) { return texts.emplace_back(std::move(text)).c_str(); };
  for (const TopicInfo& topic : topics_of_bag) {
    topics.push_back(topic.topic.c_str());
    types.push_back(topic.type.c_str());
    encodings.push_back(kept(encoding_of(bag, topic)));
    counts.push_back(topic.messages);
    latched.push_back(topic.latched > 0 ? 1 : 0);
  }
  for (const Extra& extra : extras) {
    const auto* metadata = std::get_if<Metadata>(&extra);
    if (!metadata) continue;
    for (const auto& [key, value] : metadata->values) {
      keys.push_back(kept(metadata->name + "/" + key));
      values.push_back(kept(value));
    }
  }
  // C gets an array of bool, which std::vector<bool> is not.
  static_assert(sizeof(bool) == sizeof(std::uint8_t));
  const Summary& summary = bag.summary;
  info = {bag.path.c_str(),
          summary.format.c_str(),
          summary.size_bytes,
          saturating_difference(summary.start, summary.end).count(),
          to_ns(summary.start),
          to_ns(summary.end),
          summary.messages,
          topics.size(),
          topics.data(),
          types.data(),
          encodings.data(),
          counts.data(),
          reinterpret_cast<const bool*>(latched.data()),
          keys.size(),
          keys.data(),
          values.data()};
}

}  // namespace kitbag::c

kitbag_code kitbag_open(const char* path, kitbag_mode mode, const void* impl_data, kitbag_bag** bag,
                        kitbag_error** error) {
  using namespace kitbag::c;
  return call(error, [&] {
    require(bag, "bag");
    auto opened = std::make_unique<kitbag_bag>();
    opened->path = &require(path, "path");
    opened->mode = mode;
    set_options(*opened, versioned<kitbag_storage>(impl_data, KITBAG_STORAGE_INIT, "impl_data"));
    if (mode == KITBAG_READ) {
      opened->open_for_reading();
    } else if (mode == KITBAG_WRITE || mode == KITBAG_APPEND || mode == KITBAG_JOIN) {
      opened->open_for_writing();
    } else {
      throw Error(ErrorCode::invalid, "the mode is not one of kitbag_mode");
    }
    *bag = opened.release();
  });
}

kitbag_code kitbag_close(kitbag_bag* bag, kitbag_error** error) {
  std::unique_ptr<kitbag_bag> closed(bag);
  return kitbag::c::call(error, [&] {
    if (closed) closed->complete();
  });
}

void kitbag_abandon(kitbag_bag* bag) {
  kitbag::c::call(nullptr, [&] { delete bag; });
}

kitbag_code kitbag_info(kitbag_bag* bag, const kitbag_bag_info** info, kitbag_error** error) {
  using namespace kitbag::c;
  return call(error, [&] {
    const kitbag::Bag& read = require(bag, "bag").to_read();
    require(info, "info");
    // The bag keeps it, as the caller gets pointers into it.
    bag->info = std::make_unique<KeptInfo>(kitbag::describe_bag(bag->path, read), read.extras());
    *info = &bag->info->info;
  });
}

kitbag_code kitbag_index(kitbag_bag* bag, kitbag_error** error) {
  using namespace kitbag::c;
  return call(error, [&] {
    require(bag, "bag").complete();
    bag->bag = nullptr;  // nothing of it is held while it is rewritten
    try {
      kitbag::index_bag(bag->path, session());
    } catch (...) {  // it can be read as it is
      bag->open_for_reading();
      throw;
    }
    bag->open_for_reading();
  });
}
