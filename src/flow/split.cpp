#include <fmt/format.h>

#include <algorithm>

#include "flow/staged_writer.h"
#include "io/sticky.h"
#include "kitbag/open.h"
#include "kitbag/pipeline.h"
#include "kitbag/session.h"
#include "open/append_locked.h"

// A batch may be longer than what is left of a file, so it is cut in pieces that certainly fit. The
// number of messages and the times are known in advance; the size of the file is not, because the
// writer compresses. So the size is estimated from above (payload and kMessageOverhead), a piece is
// written, and the writer is asked again: the steps get shorter toward the limit, in the end one
// message each. A file exceeds its limit by about one message, and by what the writer adds when it
// closes.
//
// Two ways to put the parts in place. The parts of a conversion are staged and appear together,
// when the last one is complete (decision 014). A recording is read while it grows, so its parts
// are visible at once. Of a directory, all parts but the first are appended to it. Where it is
// visible, it stays locked for the whole time, or another writer could append between two parts.

namespace kitbag {
namespace {

/// More than a format adds to one message (its header and its index entry). Used to estimate how
/// many messages can be written before the size of the file is checked again; too high is harmless.
constexpr std::uint64_t kMessageOverhead = 256;

class Split final : public Sink {
 public:
  Split(SplitLimits limits, SplitFiles files) : limits_(limits), files_(std::move(files)) {}

  void write(Batch&& batch) override {
    sticky_.run([&] {
      if (is_closed_) throw Error(ErrorCode::invalid, "cannot write to a closed split");
      if (batch.channels) channels_ = batch.channels;
      if (!writer_) begin_file();
      if (batch.empty()) return writer_->write(std::move(batch));
      while (!batch.empty()) write_front(batch);
    });
  }

  SteadyTime due() const override { return writer_ ? writer_->due() : kNever; }

  void tick(SteadyTime now) override {
    sticky_.run([&] {
      if (writer_) writer_->tick(now);
    });
  }

  void flush() override {
    sticky_.run([&] {
      if (writer_) writer_->flush();
    });
  }

  void close() override {
    sticky_.run([&] {
      if (is_closed_) return;
      if (!writer_) begin_file();
      writer_->close();
      writer_.reset();
      if (files_.publish) files_.publish();
      is_closed_ = true;
    });
  }

 private:
  void begin_file() {
    writer_ = files_.next(index_++);
    messages_ = 0;
    Batch declares;
    declares.channels = channels_;
    writer_->write(std::move(declares));
  }

  /// Writes as much as possible before the limits have to be checked again. Repeats at the
  /// beginning of the source stay together: readers would leave them out of a later file.
  void write_front(Batch& batch) {
    const Message& next = batch.messages().front();
    if (messages_ > 0 && needs_next_file(next) && !is_repeated(*next.channel)) {
      writer_->close();
      begin_file();
    }
    if (messages_ == 0) first_ = batch.messages().front().log_time;
    std::size_t count = count_fitting(batch.messages());
    if (count == batch.messages().size()) {
      writer_->write(std::move(batch));
      batch.clear();
    } else {
      Batch front;
      front.take_front(batch, count);
      writer_->write(std::move(front));
    }
    messages_ += count;  // now, as the writer may refuse them
  }

  bool needs_next_file(const Message& message) const {
    return (limits_.messages && messages_ >= *limits_.messages) || is_too_late(message) ||
           (limits_.bytes && writer_->size_bytes() >= *limits_.bytes);
  }

  bool is_too_late(const Message& message) const {
    if (!limits_.duration || message.log_time <= first_) return false;
    // Unsigned, because the distance of two times may be larger than a Duration can represent.
    auto since_first = static_cast<std::uint64_t>(to_ns(message.log_time)) -
                       static_cast<std::uint64_t>(to_ns(first_));
    return since_first > static_cast<std::uint64_t>(limits_.duration->count());
  }

  /// How many messages certainly belong to this file, at least one. With a size limit, the steps
  /// get shorter near the limit.
  std::size_t count_fitting(std::span<const Message> messages) const {
    std::uint64_t most = UINT64_MAX;
    if (limits_.messages) most = *limits_.messages - std::min(*limits_.messages, messages_);
    std::uint64_t size = limits_.bytes ? writer_->size_bytes() : 0;
    std::size_t count = 0;
    do {
      size += messages[count++].data.size() + kMessageOverhead;
    } while (count < messages.size() && count < most && !is_too_late(messages[count]) &&
             !(limits_.bytes && size >= *limits_.bytes));
    return count;
  }

  SplitLimits limits_;
  SplitFiles files_;
  std::unique_ptr<Writer> writer_;
  ChannelsPtr channels_ = std::make_shared<const Channels>();
  std::size_t index_ = 0;
  std::uint64_t messages_ = 0;  ///< in this file
  Time first_{};                ///< log time of this file's first message
  bool is_closed_ = false;
  Sticky sticky_;
};

/// Files that appear as they are begun; of a directory, which nobody else writes meanwhile.
SplitFiles visible_files(const std::string& uri, const WriteOptions& options,
                         const Session& session, bool is_one_bag) {
  if (!is_one_bag) {
    return {[uri, options, session](std::size_t index) {
      return session.create(split_path(uri, index), options);
    }};
  }
  auto lock = std::make_shared<std::unique_ptr<FileLock>>();
  return {[uri, options, session, lock](std::size_t index) {
            if (index > 0) return append_locked(session.path_of(uri), options, session);
            auto first = session.create(uri, options);
            std::string path = session.path_of(uri);
            *lock = session.file_system(path)->lock(path, LockKind::exclusive, options.on_warning);
            return first;
          },
          [lock] { lock->reset(); }};
}

}  // namespace

std::unique_ptr<Sink> split(SplitLimits limits, SplitFiles files) {
  auto refuse = [](const char* what) {
    throw Error(ErrorCode::invalid, fmt::format("the {} of a split must be greater than 0", what));
  };
  if (limits.bytes == 0) refuse("size");
  if (limits.messages == 0) refuse("number of messages");
  if (limits.duration && *limits.duration <= Duration::zero()) refuse("duration");
  return std::make_unique<Split>(limits, std::move(files));
}

std::unique_ptr<Sink> split(SplitLimits limits, NextWriter next) {
  return split(limits, SplitFiles{std::move(next)});
}

SplitFiles split_to(const std::string& uri, const WriteOptions& options, const Session& session) {
  bool is_one_bag = session.format_for(uri, options.format).is_container;
  if (options.is_visible) return visible_files(uri, options, session, is_one_bag);
  struct State {
    std::shared_ptr<Staging> set;
    std::string place;  ///< where the file, or the directory, is written
  };
  auto state = std::make_shared<State>();
  auto next = [=, path = session.path_of(uri)](std::size_t index) {
    if (!state->set) state->set = session.file_system(path)->stage(path, options.on_warning);
    std::string part = split_path(path, index);
    if (is_one_bag) part = path.ends_with('/') ? path : path + "/";
    if (!is_one_bag || index == 0) state->place = state->set->place(part, options.may_replace);
    return staged_writer(state->set, options, [&](const WriteOptions& write) {
      bool is_new = !is_one_bag || index == 0;
      return is_new ? session.create(state->place, write)
                    : append_locked(state->place, write, session);
    });
  };
  return {next, [state] {
            if (state->set) state->set->publish();
            state->set.reset();
          }};
}

std::string split_path(const std::string& path, std::size_t index) {
  std::size_t name = path.rfind('/') + 1;  // 0 where there is no folder
  std::size_t dot = path.rfind('.');
  bool has_extension = dot != std::string::npos && dot > name;
  std::size_t end = has_extension ? dot : path.size();
  return fmt::format("{}_{}{}", path.substr(0, end), index, path.substr(end));
}

}  // namespace kitbag
