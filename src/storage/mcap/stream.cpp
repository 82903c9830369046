#include "storage/mcap/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "base/crc32.h"
#include "kitbag/selector.h"
#include "storage/mcap/chunk_file.h"
#include "storage/mcap/content.h"
#include "storage/mcap/definitions.h"
#include "storage/mcap/extras.h"
#include "storage/mcap/salvage.h"

namespace kitbag::mcap {

namespace {

/// Messages outside of chunks are gathered up to here, and given then.
constexpr std::size_t kGatheredBytes = 64 << 10;
constexpr std::size_t kGatheredMessages = 256;
/// No record is larger, but what is none may say so.
constexpr std::uint64_t kMaxRecordBytes = std::uint64_t{1} << 48;
constexpr std::size_t kReadPiece = 256 << 10;

/// Sums up what is read of a file from its beginning to its end.
class SummedFile final : public ReadFile {
 public:
  explicit SummedFile(std::shared_ptr<const ReadFile> file) : file_(std::move(file)) {}

  std::uint64_t size() const override { return file_->size(); }
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override {
    std::size_t count = file_->read(offset, into);
    crc_before_ = crc_;
    crc_ = crc32(into.first(count), crc_);
    end_ = offset + count;
    return count;
  }
  /// Goes on to `offset`, with what lies before it in the sum; less where the file ends before.
  void pass_to(std::uint64_t offset) const {
    std::vector<std::byte> piece(kReadPiece);
    while (end_ < offset) {
      auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kReadPiece, offset - end_));
      if (read(end_, std::span(piece).first(wanted)) < wanted) return;
    }
  }
  bool is_forward_only() const override { return true; }
  /// Of all but what the last read() gave.
  std::uint32_t crc_before() const { return crc_before_; }

 private:
  std::shared_ptr<const ReadFile> file_;
  mutable std::uint32_t crc_ = 0;
  mutable std::uint32_t crc_before_ = 0;
  mutable std::uint64_t end_ = 0;  ///< of what was read
};

/// Messages in memory, in the order in which they are to be given.
struct Gathered {
  Owner owner;
  std::size_t bytes_pinned = 0;
  std::vector<Message> messages;
  std::size_t front = 0;

  bool is_empty() const { return front == messages.size(); }
};

class StreamSource final : public Source {
 public:
  StreamSource(const Input& input, const ReadOptions& options, const Query& query);

  ChannelsPtr channels() const override { return channels_; }
  bool read(Batch& batch, const Wait& wait) override;

 private:
  bool gather();
  bool take_record();
  std::optional<ChunkPlace> read_place(std::uint64_t offset, std::uint64_t size);
  void take_chunk(const ChunkPlace& place);
  void take_definition(const Record& record, std::uint64_t offset);
  void take_extra(std::uint8_t op, std::shared_ptr<Buffer> content, std::uint64_t offset);
  void take_message(const MessageHead& head, ByteView data, Gathered& into);
  void take_loose(const std::shared_ptr<Buffer>& content);
  void close_loose();
  void add(Gathered gathered);
  std::shared_ptr<Buffer> read_bytes(std::uint64_t offset, std::uint64_t size);
  bool end(ErrorCode code, const std::string& what, std::uint64_t offset);
  bool pass_over(std::uint8_t op, std::uint64_t offset, std::uint64_t size);
  void drain(bool is_verified);
  void compare(const Statistics& statistics, bool is_verified);
  void take_run(Batch& batch);
  Gathered* best();
  bool gather_ahead(const Wait& wait);

  std::string path_;
  ReadOptions options_;
  std::shared_ptr<const SummedFile> summed_;
  MemoryLimit limit_;
  ChunkFile file_;
  std::uint64_t at_ = kMagic.size();
  bool is_at_end_ = false;
  std::shared_ptr<bool> is_loss_reported_ = std::make_shared<bool>(false);
  std::uint64_t met_ = 0;  ///< messages, wanted or not
  Definitions definitions_;
  Query query_;
  Selector selector_;
  Channels table_;
  ChannelsPtr channels_ = std::make_shared<const Channels>();  ///< table_, as it is given out
  std::vector<std::uint8_t> wanted_;                           ///< by slot
  std::vector<Extra> extras_;                                  ///< until the next batch
  std::vector<Gathered> open_;
  Gathered loose_;
  std::vector<std::shared_ptr<Buffer>> loose_contents_;
  std::size_t loose_bytes_ = 0;
  std::uint64_t skipped_ = 0;
  std::uint64_t given_ = 0;
  Time last_ = Time::min();
};

StreamSource::StreamSource(const Input& input, const ReadOptions& options, const Query& query)
    : path_(input.path),
      options_(options),
      summed_(std::make_shared<const SummedFile>(input.file)),
      limit_(options.max_memory_bytes),
      file_(summed_, path_, options.check_crc, limit_),
      query_(query),
      selector_(query.select) {
  if (options_.on_problem) {
    options_.on_problem = [inner = options_.on_problem,
                           is_reported = is_loss_reported_](const Error& found) {
      *is_reported |= found.loss().has_value();
      inner(found);
    };
  }
  std::array<std::byte, kMagic.size()> magic;
  summed_->read(0, magic);  // which is known already, but has to be summed
}

/// Tells of damage, behind which there is nothing more.
bool StreamSource::end(ErrorCode code, const std::string& what, std::uint64_t offset) {
  is_at_end_ = true;
  report(options_.on_problem, Error(code, what, path_, offset, Loss{}));
  return false;
}

/// Tells that a record is too large to be held, and goes on behind it.
bool StreamSource::pass_over(std::uint8_t op, std::uint64_t offset, std::uint64_t size) {
  bool is_message = op == static_cast<std::uint8_t>(Op::message);
  Loss loss;
  loss.messages = is_message ? 1 : 0;
  report(
      options_.on_problem,
      Error(ErrorCode::limit,
            fmt::format("a record of {} bytes exceeds the memory limit of {} bytes; it is left out",
                        size, limit_.plain()),
            path_, offset, loss));
  at_ = offset + kRecordHead + size;
  summed_->pass_to(at_);
  return true;
}

/// Fewer bytes where the pipe ends before.
std::shared_ptr<Buffer> StreamSource::read_bytes(std::uint64_t offset, std::uint64_t size) {
  auto buffer = std::make_shared<Buffer>();
  while (buffer->size() < size) {
    std::size_t before = buffer->size();
    auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(kReadPiece, size - before));
    buffer->resize(before + piece);
    std::size_t count = summed_->read(offset + before, buffer->span().subspan(before));
    buffer->resize(before + count);
    if (count < piece) break;
  }
  return buffer;
}

/// Reads records until there is something to give. False: the end.
bool StreamSource::gather() {
  std::size_t before = open_.size();
  while (open_.size() == before && !is_at_end_) {
    if (!take_record()) close_loose();
  }
  return open_.size() > before;
}

bool StreamSource::take_record() {
  std::array<std::byte, kRecordHead> head;
  std::size_t there = summed_->read(at_, head);
  if (there < head.size()) {
    return end(ErrorCode::truncated, "the stream ends before the end of its data", at_ + there);
  }
  auto op = std::to_integer<std::uint8_t>(head[0]);
  auto size = load_le<std::uint64_t>(&head[1]);
  std::uint64_t offset = at_;
  if (op == static_cast<std::uint8_t>(Op::chunk)) {
    close_loose();
    auto place = read_place(offset, size);
    if (!place) return end(ErrorCode::corrupt, "the header of the chunk here is damaged", offset);
    take_chunk(*place);
    if (is_at_end_) return false;
    summed_->pass_to(place->end);
    at_ = place->end;
    return true;
  }
  std::uint32_t crc = summed_->crc_before();
  if (op == 0 || size > kMaxRecordBytes) {
    return end(ErrorCode::corrupt, "no record begins here", offset);
  }
  if (size > limit_.plain()) return pass_over(op, offset, size);
  auto content = read_bytes(offset + kRecordHead, size);
  if (content->size() < size) {
    return end(ErrorCode::truncated, "the stream ends within a record", offset);
  }
  at_ += kRecordHead + size;
  switch (static_cast<Op>(op)) {
    case Op::message:
      if (size < MessageHead::kBytes) {
        return end(ErrorCode::corrupt, "a message is damaged", offset);
      }
      take_loose(content);
      return true;
    case Op::schema:
    case Op::channel:
      take_definition({op, content->view(), kRecordHead + size}, offset);
      return true;
    case Op::data_end: {
      auto expected = parse_data_end(content->view());
      bool is_wrong = expected && *expected != 0 && options_.check_crc && *expected != crc;
      is_at_end_ = true;
      if (is_wrong) {
        end(ErrorCode::corrupt, "the data is damaged: its CRC is wrong", offset);
      }
      drain(!is_wrong && expected && *expected != 0 && options_.check_crc);
      return false;
    }
    default:
      take_extra(op, std::move(content), offset);
      return true;
  }
}

/// The head of a chunk, read to its end and no further.
std::optional<ChunkPlace> StreamSource::read_place(std::uint64_t offset, std::uint64_t size) {
  constexpr std::size_t kNameAt = 32;
  constexpr std::size_t kMostOfName = 64;
  Buffer head;
  auto read_on = [&](std::size_t count) {
    std::size_t before = head.size();
    head.resize(before + count);
    auto place = head.span().subspan(before);
    return summed_->read(offset + kRecordHead + before, place) == count;
  };
  if (!read_on(kNameAt)) return std::nullopt;
  auto name = load_le<std::uint32_t>(head.data() + kNameAt - sizeof(std::uint32_t));
  if (name > kMostOfName || !read_on(name + sizeof(std::uint64_t))) return std::nullopt;
  auto parsed = parse_chunk_head(head.view());
  if (!parsed || size > UINT64_MAX / 2 || parsed->records_size > size) return std::nullopt;
  if (parsed->bytes + parsed->records_size > size) return std::nullopt;
  ChunkPlace place;
  place.offset = offset;
  place.data_offset = offset + kRecordHead + head.size();
  place.stored_bytes = parsed->records_size;
  place.end = offset + kRecordHead + size;
  place.size = parsed->uncompressed_size;
  place.crc = parsed->uncompressed_crc;
  place.compression = parsed->compression;
  return place;
}

void StreamSource::take_chunk(const ChunkPlace& place) {
  ChunkBody body = file_.body(place);
  Gathered gathered;
  auto on_message = [&](const MessageHead& head, std::size_t, ByteView data) {
    take_message(head, data, gathered);
  };
  auto on_record = [&](const Record& record, std::size_t) {
    take_definition(record, place.offset);
  };
  ContentWalk walked = walk_content(body.content, on_message, on_record);
  if (body.fault || !walked.fault.empty()) {
    Loss loss;
    if (!walked.fault.empty()) {
      gathered.messages.clear();
      loss = salvage_content(body.content, on_message, on_record);
    }
    std::string what = body.fault ? body.fault->message() : std::string(walked.fault);
    is_at_end_ = body.fault && body.fault->code() == ErrorCode::truncated;
    report(options_.on_problem,
           Error(body.fault ? body.fault->code() : ErrorCode::corrupt,
                 fmt::format("{}; {}", what, describe(loss)), path_, place.offset, loss));
  }
  gathered.owner = body.owner;
  gathered.bytes_pinned = body.bytes_pinned;
  add(std::move(gathered));
}

void StreamSource::take_definition(const Record& record, std::uint64_t offset) {
  bool is_schema = record.op == static_cast<std::uint8_t>(Op::schema);
  if (!is_schema && record.op != static_cast<std::uint8_t>(Op::channel)) return;
  using Added = Definitions::Added;
  Added added = is_schema ? definitions_.add_schema(record.content)
                          : definitions_.add_channel(record.content);
  if (added == Added::malformed || added == Added::contradiction) {
    report(options_.on_problem,
           Error(ErrorCode::corrupt, "a schema or channel record here is damaged", path_, offset));
  }
  if (is_schema || added != Added::news) return;
  // Those that are there stay as they are: messages point at them.
  ChannelPtr channel = definitions_.newest();
  bool is_wanted = selector_.matches(*channel);
  wanted_.push_back(is_wanted ? 1 : 0);
  table_.push_back(is_wanted ? channel : nullptr);
}

void StreamSource::take_extra(std::uint8_t op, std::shared_ptr<Buffer> content,
                              std::uint64_t offset) {
  // As a file of its own, at the place where it would stand.
  Buffer record;
  RecordWriter(record, op).bytes(content->view()).finish();
  auto whole = std::make_shared<const Buffer>(std::move(record));
  auto file = memory_file(whole->view(), whole);
  auto extra = read_extra(file, path_, 0, op, whole->size(), options_);
  if (!extra) {
    if (!is_promised_extra(op)) return;
    return report(options_.on_problem,
                  Error(ErrorCode::corrupt, kDamagedExtra, path_, offset, Loss{.messages = 0}));
  }
  if (op == static_cast<std::uint8_t>(Op::attachment) && options_.check_crc) {
    std::string what = verify_attachment(*file, 0);
    if (!what.empty()) {
      report(options_.on_problem,
             Error(ErrorCode::corrupt, what, path_, offset, Loss{.messages = 0}));
    }
  }
  const auto* attachment = std::get_if<Attachment>(&*extra);
  bool is_in_time = !attachment || query_.covers(attachment->log_time);
  if (is_in_time) extras_.push_back(std::move(*extra));
}

void StreamSource::take_message(const MessageHead& head, ByteView data, Gathered& into) {
  ++met_;
  auto slot = definitions_.slot(head.channel_id);
  if (!slot) {
    report(options_.on_problem,
           Error(ErrorCode::corrupt, "a message belongs to a channel that no record has described",
                 path_, at_, Loss{.messages = 1}));
    return;
  }
  Time time = time_of(head.log_time);
  if (wanted_[*slot] == 0 || !query_.covers(time)) return;
  into.messages.push_back(
      {table_[*slot].get(), head.sequence, 0, time, time_of(head.publish_time), data});
}

void StreamSource::take_loose(const std::shared_ptr<Buffer>& content) {
  MessageHead head = MessageHead::load(content->data());
  take_message(head, content->view().subspan(MessageHead::kBytes), loose_);
  loose_contents_.push_back(content);
  loose_bytes_ += content->capacity();
  bool is_full = loose_bytes_ >= kGatheredBytes || loose_contents_.size() >= kGatheredMessages;
  if (is_full) close_loose();
}

void StreamSource::close_loose() {
  if (loose_contents_.empty()) return;
  loose_.owner = std::make_shared<const std::vector<std::shared_ptr<Buffer>>>(
      std::exchange(loose_contents_, {}));
  loose_.bytes_pinned = std::exchange(loose_bytes_, 0);
  add(std::exchange(loose_, {}));
}

void StreamSource::add(Gathered gathered) {
  if (gathered.messages.empty()) return;
  if (query_.order == Order::time) {
    std::stable_sort(gathered.messages.begin(), gathered.messages.end(),
                     [](const Message& a, const Message& b) { return a.log_time < b.log_time; });
    if (gathered.messages.front().log_time < last_) {
      throw Error(ErrorCode::unsupported,
                  "the messages in the pipe are too far out of order to be sorted; read them in "
                  "file order, or save the bag to a file first",
                  path_, at_);
    }
  }
  open_.push_back(std::move(gathered));
}

/// Reads what is behind the data, for its writer's sake, and to see that it has its end. What the
/// statistics there promise is compared with what has come.
void StreamSource::drain(bool is_verified) {
  std::array<std::byte, kRecordHead> head;
  for (;;) {
    ByteView found = ByteView(head).first(summed_->read(at_, head));
    if (as_text(found) == kMagic) return;
    auto size = found.size() < head.size() ? UINT64_MAX : load_le<std::uint64_t>(&head[1]);
    if (size > kMaxRecordBytes) break;
    if (head[0] == static_cast<std::byte>(Op::statistics) && size <= kMaxDefinitionBytes) {
      auto content = read_bytes(at_ + kRecordHead, size);
      if (auto statistics = parse_statistics(content->view())) compare(*statistics, is_verified);
    } else {
      summed_->pass_to(at_ + kRecordHead + size);
    }
    at_ += kRecordHead + size;
  }
  summed_->pass_to(UINT64_MAX);
  report(options_.on_problem,
         Error(ErrorCode::truncated, "the stream ends after its data, before the end of the file",
               path_, at_));
}

/// `is_verified`: the data has the CRC that it should have, so that it is the number that is wrong.
void StreamSource::compare(const Statistics& statistics, bool is_verified) {
  if (*is_loss_reported_ || statistics.messages == met_) return;
  std::optional<Loss> loss;
  if (met_ < statistics.messages && !is_verified) {
    loss = Loss{.messages = statistics.messages - met_};
  }
  report(options_.on_problem,
         Error(ErrorCode::corrupt,
               fmt::format("the statistics promise {} messages, but there were {}",
                           statistics.messages, met_),
               path_, at_, loss));
}

/// Those whose next message comes first.
Gathered* StreamSource::best() {
  if (open_.empty()) return nullptr;
  auto comes_first = [](const Gathered& a, const Gathered& b) {
    return a.messages[a.front].log_time < b.messages[b.front].log_time;
  };
  if (query_.order == Order::file) return &open_.front();
  return &*std::min_element(open_.begin(), open_.end(), comes_first);
}

void StreamSource::take_run(Batch& batch) {
  Gathered* from = best();
  if (!from) return;
  batch.keep(from->owner, from->bytes_pinned);
  Time limit = Time::max();
  for (const Gathered& other : open_) {
    if (&other == from || query_.order == Order::file) continue;
    limit = std::min(limit, other.messages[other.front].log_time);
  }
  do {
    const Message& message = from->messages[from->front++];
    last_ = message.log_time;
    if (skipped_ < query_.nth) {
      ++skipped_;
    } else {
      batch.add(message);
      ++given_;
    }
  } while (!from->is_empty() && !batch.full() && given_ < query_.count &&
           from->messages[from->front].log_time < limit);
  if (from->is_empty()) open_.erase(open_.begin() + (from - &open_.front()));
}

/// Reads on until what comes next is sure. False: stopped.
bool StreamSource::gather_ahead(const Wait& wait) {
  std::size_t ahead = query_.order == Order::time ? 2 : 1;
  while (open_.size() < ahead && !wait.stop.stop_requested() && gather()) {
  }
  return !wait.stop.stop_requested();
}

bool StreamSource::read(Batch& batch, const Wait& wait) {
  bool is_stopped = false;
  while (!batch.full() && given_ < query_.count) {
    is_stopped = !gather_ahead(wait);
    if (is_stopped || !best()) break;
    take_run(batch);
  }
  if (table_.size() > channels_->size()) channels_ = std::make_shared<const Channels>(table_);
  batch.channels = channels_;
  batch.extras = std::exchange(extras_, {});
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
