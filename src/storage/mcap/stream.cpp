#include "storage/mcap/stream.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "model/slice_count.h"
#include "storage/mcap/extras.h"
#include "storage/mcap/stream_reader.h"

// For order by time, two chunks are kept: the one that is given and the next one. Writers put
// messages into chunks as they come, so messages that are a little late are in the chunk behind,
// and two chunks bring them into order. If a third one begins before what was given already, order
// is lost, and that is an error and not a wrong order.
//
// Chunks are sorted when they arrive, and given in runs, as long as no other chunk has an earlier
// message. Equal times come from the chunk that was read first.

namespace kitbag::mcap {

namespace {

/// Gives the messages of a pipe in the order of the query.
class StreamSource final : public Source {
 public:
  StreamSource(const Input& input, const ReadOptions& options, const Query& query)
      : path_(input.path),
        reader_(input, options, query),
        order_(query.order),
        count_(query.nth, query.count) {}

  ChannelsPtr channels() const override { return channels_; }
  bool read(Batch& batch, const Wait& wait) override;

 private:
  bool gather(const std::stop_token& stop);
  void open(Gathered gathered);
  void take_run(Batch& batch);
  Gathered* best();
  bool gather_ahead(const Wait& wait);

  std::string path_;
  StreamReader reader_;
  Order order_;
  SliceCount count_;
  ChannelsPtr channels_ = std::make_shared<const Channels>();  ///< the reader's, as given out
  std::vector<Gathered> open_;
  Time last_ = Time::min();
};

/// False: there is nothing more, or it was stopped.
bool StreamSource::gather(const std::stop_token& stop) {
  std::vector<Gathered> gathered = reader_.gather(stop);
  for (Gathered& one : gathered) open(std::move(one));
  return !gathered.empty();
}

void StreamSource::open(Gathered gathered) {
  if (order_ == Order::time) {
    std::stable_sort(gathered.messages.begin(), gathered.messages.end(),
                     [](const Message& a, const Message& b) { return a.log_time < b.log_time; });
    if (gathered.messages.front().log_time < last_) {
      throw Error(ErrorCode::unsupported,
                  "the messages in the pipe are too far out of order to be sorted; read them in "
                  "file order, or save the bag to a file first",
                  path_, gathered.read_at);
    }
  }
  open_.push_back(std::move(gathered));
}

/// Those whose next message comes first.
Gathered* StreamSource::best() {
  if (open_.empty()) return nullptr;
  auto comes_first = [](const Gathered& a, const Gathered& b) {
    return a.messages[a.front].log_time < b.messages[b.front].log_time;
  };
  if (order_ == Order::file) return &open_.front();
  return &*std::min_element(open_.begin(), open_.end(), comes_first);
}

void StreamSource::take_run(Batch& batch) {
  Gathered* from = best();
  if (!from) return;
  batch.keep(from->owner, from->bytes_pinned);
  Time limit = Time::max();
  for (const Gathered& other : open_) {
    if (&other == from || order_ == Order::file) continue;
    limit = std::min(limit, other.messages[other.front].log_time);
  }
  do {
    const Message& message = from->messages[from->front++];
    last_ = message.log_time;
    if (!count_.skip_next()) {
      batch.add(message);
      count_.give();
    }
  } while (!from->is_empty() && !batch.full() && !count_.is_complete() &&
           from->messages[from->front].log_time < limit);
  if (from->is_empty()) open_.erase(open_.begin() + (from - &open_.front()));
}

/// Reads on until the next message is certain. False: stopped.
bool StreamSource::gather_ahead(const Wait& wait) {
  std::size_t ahead = order_ == Order::time ? 2 : 1;
  while (open_.size() < ahead && gather(wait.stop)) {
  }
  return !wait.stop.stop_requested();
}

bool StreamSource::read(Batch& batch, const Wait& wait) {
  bool is_stopped = false;
  while (!batch.full() && !count_.is_complete()) {
    is_stopped = !gather_ahead(wait);
    if (is_stopped || !best()) break;
    take_run(batch);
  }
  const Channels& channels = reader_.channels();
  if (channels.size() > channels_->size()) channels_ = std::make_shared<const Channels>(channels);
  batch.channels = channels_;
  batch.extras = reader_.take_extras();
  return !batch.empty() || !batch.extras.empty() || is_stopped;
}

class StreamBag final : public Bag {
 public:
  StreamBag(const Input& input, const ReadOptions& options) : input_(input), options_(options) {
    summary_.format = kFormatName;
    summary_.version = "0";
    summary_.indexed = false;
    summary_.is_stream = true;
    summary_.channels = std::make_shared<const Channels>();
  }

  const Summary& summary() const override { return summary_; }
  std::unique_ptr<Source> read_messages(const Query& query, const Wait& /*wait*/) const override {
    std::lock_guard lock(mutex_);
    if (query.order == Order::reverse_time || query.by == TimeField::publish_time) {
      throw Error(
          ErrorCode::unsupported,
          "a pipe can be read only in file order or by log time; save the bag to a file first",
          input_.path);
    }
    if (std::exchange(is_read_, true)) {
      throw Error(ErrorCode::invalid, "a pipe can be read only once; save the bag to a file first",
                  input_.path);
    }
    ReadOptions options = options_;
    if (query.on_problem) options.on_problem = query.on_problem;
    return std::make_unique<StreamSource>(input_, options, query);
  }

 private:
  Input input_;
  ReadOptions options_;
  Summary summary_;
  mutable std::mutex mutex_;
  mutable bool is_read_ = false;
};

}  // namespace

BagPtr open_stream(const Input& input, const ReadOptions& options) {
  return std::make_shared<const StreamBag>(input, options);
}

}  // namespace kitbag::mcap
