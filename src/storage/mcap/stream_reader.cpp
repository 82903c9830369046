#include "storage/mcap/stream_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "storage/mcap/content.h"
#include "storage/mcap/extras.h"
#include "storage/mcap/salvage.h"

// A pipe gives each byte once. So nothing can be looked up at the end, and no length can be
// compared with what follows. A damaged chunk still has its end, so reading continues behind it.
// Damage between chunks ends the reading.
//
// Memory is taken only as bytes arrive, because a length may lie. A record above the memory limit
// is passed over. Chunks are read as from a file, by ChunkFile; therefore the head of a chunk is
// read to its end and no further, in two steps, since the length of the compression's name is in
// it.
//
// Every byte goes into one sum, also what is passed over, because DataEnd holds the CRC of
// everything before it. The nine bytes of a record's head are read by one call. So crc_before(),
// which is the sum without the last call, is then the sum of all that precedes the record.

namespace kitbag::mcap {

namespace {

/// Messages outside of chunks are collected up to these limits, and then given.
constexpr std::size_t kGatheredBytes = 64 << 10;
constexpr std::size_t kGatheredMessages = 256;
/// No record is larger, but damaged data may claim it.
constexpr std::uint64_t kMaxRecordBytes = std::uint64_t{1} << 48;

}  // namespace

StreamReader::StreamReader(const Input& input, const ReadOptions& options, const Query& query)
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
  summed_->read(0, magic);  // known already, but part of the sum
}

/// Reports damage after which nothing can be read.
bool StreamReader::end(ErrorCode code, const std::string& what, std::uint64_t offset) {
  is_at_end_ = true;
  report(options_.on_problem, Error(code, what, path_, offset, Loss{}));
  return false;
}

/// Reports that a record is too large for memory, and skips it.
bool StreamReader::pass_over(std::uint8_t op, std::uint64_t offset, std::uint64_t size) {
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

std::vector<Gathered> StreamReader::gather(const std::stop_token& stop) {
  while (ready_.empty() && !is_at_end_ && !stop.stop_requested()) {
    if (!take_record()) close_loose();
  }
  return std::exchange(ready_, {});
}

bool StreamReader::take_record() {
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
  // Before the content is read, which would be the last call then.
  std::uint32_t crc = summed_->crc_before();
  if (op == 0 || size > kMaxRecordBytes) {
    return end(ErrorCode::corrupt, "no record begins here", offset);
  }
  if (size > limit_.plain()) return pass_over(op, offset, size);
  auto content = summed_->read_bytes(offset + kRecordHead, size);
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
std::optional<ChunkPlace> StreamReader::read_place(std::uint64_t offset, std::uint64_t size) {
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

void StreamReader::take_chunk(const ChunkPlace& place) {
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

void StreamReader::take_definition(const Record& record, std::uint64_t offset) {
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

void StreamReader::take_extra(std::uint8_t op, std::shared_ptr<Buffer> content,
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

void StreamReader::take_message(const MessageHead& head, ByteView data, Gathered& into) {
  ++met_;
  if (exceeds_time(head)) ++beyond_;
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

void StreamReader::take_loose(const std::shared_ptr<Buffer>& content) {
  MessageHead head = MessageHead::load(content->data());
  take_message(head, content->view().subspan(MessageHead::kBytes), loose_);
  loose_contents_.push_back(content);
  loose_bytes_ += content->capacity();
  bool is_full = loose_bytes_ >= kGatheredBytes || loose_contents_.size() >= kGatheredMessages;
  if (is_full) close_loose();
}

void StreamReader::close_loose() {
  if (loose_contents_.empty()) return;
  loose_.owner = std::make_shared<const std::vector<std::shared_ptr<Buffer>>>(
      std::exchange(loose_contents_, {}));
  loose_.bytes_pinned = std::exchange(loose_bytes_, 0);
  add(std::exchange(loose_, {}));
}

void StreamReader::add(Gathered gathered) {
  if (std::uint64_t beyond = std::exchange(beyond_, 0); beyond > 0) {
    report(options_.on_problem,
           Error(ErrorCode::unsupported, describe_beyond(beyond), path_, at_, Loss{.messages = 0}));
  }
  if (gathered.messages.empty()) return;
  gathered.read_at = at_;
  ready_.push_back(std::move(gathered));
}

/// Reads what follows the data, so that the writer of the pipe can finish, and to see that the file
/// has its end. The statistics there are compared with what was read.
void StreamReader::drain(bool is_verified) {
  std::array<std::byte, kRecordHead> head;
  for (;;) {
    ByteView found = ByteView(head).first(summed_->read(at_, head));
    if (as_text(found) == kMagic) return;
    auto size = found.size() < head.size() ? UINT64_MAX : load_le<std::uint64_t>(&head[1]);
    if (size > kMaxRecordBytes) break;
    if (head[0] == static_cast<std::byte>(Op::statistics) && size <= kMaxDefinitionBytes) {
      auto content = summed_->read_bytes(at_ + kRecordHead, size);
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

/// `is_verified`: the CRC of the data is right, so the number is wrong.
void StreamReader::compare(const Statistics& statistics, bool is_verified) {
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

}  // namespace kitbag::mcap
