#include <optional>
#include <utility>

#include "capi/handles.h"
#include "capi/read.h"
#include "kitbag/columns.h"
#include "kitbag/pipeline.h"
#include "kitbag/play.h"
#include "kitbag/record.h"
#include "kitbag/transcode.h"

// kitbag_stop() comes from another thread at any time, also just before the recording begins. So
// the stop belongs to the bag and not to the recording: it waits there, ends the next one, and is
// then replaced by a fresh one.
//
// The bag was opened for writing, so its writer exists and has a place. A recorder makes its files
// itself: the writer is dropped unused, which leaves nothing, and the bag is opened for reading at
// the end. If no message came, the recorder has left no file; a program expects one, so an empty
// bag is written.

using kitbag::Error;
using kitbag::ErrorCode;

namespace kitbag::c {

namespace {

/// The stop token of one recording or replay. A stop that came before it counts, and is used up.
class StopOnce {
 public:
  explicit StopOnce(kitbag_bag& bag) : bag_(bag) {
    std::lock_guard lock(bag.stop_mutex);
    token_ = bag.stop.get_token();
  }
  ~StopOnce() {
    std::lock_guard lock(bag_.stop_mutex);
    bag_.stop = std::stop_source();
  }
  StopOnce(const StopOnce&) = delete;
  StopOnce& operator=(const StopOnce&) = delete;

  const std::stop_token& token() const { return token_; }

 private:
  kitbag_bag& bag_;
  std::stop_token token_;
};

Selection selection_of(const char* const* topics, std::size_t count) {
  Selection select;
  for (std::size_t i = 0; i < count; ++i) {
    require(topics, "topics");
    select.topics.emplace_back(&require(topics[i], "a topic"));
  }
  return select;
}

void record(kitbag_bag& bag, const std::string& from, const Selection& select) {
  bag.to_write();
  if (bag.mode == KITBAG_APPEND || bag.has_messages || !bag.channels.empty()) {
    throw Error(
        ErrorCode::invalid,
        "a recording needs a bag that was opened with KITBAG_WRITE or KITBAG_JOIN and has no "
        "topics yet",
        bag.path);
  }
  StopOnce stop(bag);
  bag.writer.reset();
  RecordOptions options;
  options.from = {from};
  options.select = select;
  options.target.path = bag.path;
  options.target.write = bag.writing;
  options.target.joins = options.target.repairs_leftovers = bag.mode == KITBAG_JOIN;
  options.on_warning = bag.writing.on_warning;
  RecordStatus status;
  std::optional<Recorder> recorder;
  try {
    recorder.emplace(std::move(options), session());
    status = recorder->run(stop.token());
  } catch (...) {
    bool has_files = recorder && !recorder->status().files.empty();
    recorder.reset();
    // The bag is open for writing, as it was; but nothing is written over a recording.
    if (!has_files) bag.open_for_writing();
    throw;
  }
  recorder.reset();
  if (status.files.empty()) {  // nothing came: a bag without messages
    bag.open_for_writing();
    bag.complete();
  }
  bag.open_for_reading();
}

void replay(kitbag_bag& bag, const std::string& to, const Selection& select) {
  const Bag& read = bag.to_read();
  require_topics(bag, select);
  StopOnce stop(bag);
  auto encodings = session().encodings_of(to);
  PlayOptions options;
  options.begin = read.summary().start;
  options.end = read.summary().end;
  options.open = [&](Time begin) {
    Query query{.select = select};
    if (begin > options.begin) query.begin = begin;
    auto source = read.read(query);
    if (encodings.empty()) return source;
    TranscodeOptions converted{.encoding = std::string(encodings.front()),
                               .on_error = OnError::raw};
    return through(std::move(source), transcode(std::move(converted), session()));
  };
  try {
    Player player(options, session().publish(to, {stop.token(), bag.reading.on_problem}),
                  session().clock());
    player.run(stop.token());
  } catch (const Error& error) {
    // It was stopped while it waited for somebody who listens.
    if (error.code() != ErrorCode::cancelled || !stop.token().stop_requested()) throw;
  }
}

}  // namespace

}  // namespace kitbag::c

using kitbag::c::call;
using kitbag::c::require;

kitbag_code kitbag_record(kitbag_bag* bag, const char* from, const char* const* topics,
                          size_t topic_count, kitbag_error** error) {
  return call(error, [&] {
    auto select = kitbag::c::selection_of(topics, topic_count);
    kitbag::c::record(require(bag, "bag"), &require(from, "from"), select);
  });
}

kitbag_code kitbag_record_all(kitbag_bag* bag, const char* from, kitbag_error** error) {
  return kitbag_record(bag, from, nullptr, 0, error);
}

kitbag_code kitbag_replay(kitbag_bag* bag, const char* to, const char* const* topics,
                          size_t topic_count, kitbag_error** error) {
  return call(error, [&] {
    auto select = kitbag::c::selection_of(topics, topic_count);
    kitbag::c::replay(require(bag, "bag"), &require(to, "to"), select);
  });
}

kitbag_code kitbag_replay_all(kitbag_bag* bag, const char* to, kitbag_error** error) {
  return kitbag_replay(bag, to, nullptr, 0, error);
}

void kitbag_stop(kitbag_bag* bag) {
  if (!bag) return;
  std::lock_guard lock(bag->stop_mutex);
  bag->stop.request_stop();
}

kitbag_code kitbag_arrow_stream(kitbag_bag* bag, const kitbag_query* query,
                                const char* const* fields, size_t field_count,
                                struct ArrowArrayStream* out, kitbag_error** error) {
  using namespace kitbag::c;
  return call(error, [&] {
    require(out, "out");
    kitbag::ColumnsRequest request;
    for (std::size_t i = 0; i < field_count; ++i) {
      const char* field = (&require(fields, "fields"))[i];
      request.fields.emplace_back(&require(field, "a field"));
    }
    Wanted wanted(query, KITBAG_BY_TIME);
    require_topics(require(bag, "bag"), wanted.query.select);
    auto table = wanted.where.empty()
                     ? columns(require(bag, "bag").to_read(), wanted.query, request, session())
                     : columns(read(require(bag, "bag"), wanted), request, session());
    to_arrow_stream(std::move(table), {}, out);
  });
}
