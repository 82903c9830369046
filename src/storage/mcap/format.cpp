#include "storage/mcap/format.h"

#include <algorithm>

#include "kitbag/session.h"
#include "model/empty_bag.h"
#include "model/with_head.h"
#include "storage/chunked/bag.h"
#include "storage/mcap/check.h"
#include "storage/mcap/excerpt.h"
#include "storage/mcap/extras.h"
#include "storage/mcap/store.h"
#include "storage/mcap/stream.h"
#include "storage/mcap/write/append.h"
#include "storage/writing/file_options.h"

namespace kitbag {

namespace mcap {
namespace {

int matches(const Input& input) {
  if (!input.file || input.head.empty()) return 0;
  std::string_view head = as_text(input.head);
  if (head.starts_with(kMagic)) return 100;
  // A file that ends within its signature is taken for MCAP if no other format wants it.
  return kMagic.starts_with(head) ? 10 : 0;
}

bool is_cut_off(const Input& input) {
  return input.head.size() < kMagic.size() && kMagic.starts_with(as_text(input.head));
}

/// Throws for a file that ends inside its magic, or has another.
void require_magic(const Input& input) {
  std::string_view head = as_text(input.head);
  if (head.starts_with(kMagic)) return;
  if (is_cut_off(input)) {
    throw Error(ErrorCode::truncated, "the file ends within its first bytes; nothing can be saved",
                input.path, head.size());
  }
  throw Error(ErrorCode::corrupt, "the file does not begin with the MCAP signature", input.path, 0);
}

/// Whether a file with another beginning is one of MCAP: it differs in a few bytes, a header record
/// follows, or it ends as it should.
bool is_likely(const Input& input) {
  if (difference_to_head(input, kMagic) <= kMostDamagedBytes) return true;
  constexpr std::size_t kRecordHead = 1 + sizeof(std::uint64_t);
  std::uint64_t size = input.file->size();
  if (size < 2 * kMagic.size() || input.head.size() < kMagic.size() + kRecordHead) return false;
  const std::byte* record = input.head.data() + kMagic.size();
  bool has_header = *record == static_cast<std::byte>(Op::header) &&
                    load_le<std::uint64_t>(record + 1) < input.head.size();
  std::byte end[kMagic.size()];
  std::size_t there = input.file->read(size - kMagic.size(), end);
  return has_header || as_text(ByteView(end).first(there)) == kMagic;
}

/// `input`, with its magic put right where that is damaged, which is reported: but only if somebody
/// has said that this is MCAP.
Input mended(const Input& input, const ReadOptions& options) {
  bool is_known = input.file && !options.format.empty() && !input.file->is_forward_only();
  if (!is_known || matches(input) > 0 || !is_likely(input)) return input;
  report(options.on_problem,
         Error(ErrorCode::corrupt, "the first bytes are damaged; the file is read as MCAP",
               input.path, 0));
  return with_head(input, kMagic);
}

/// What the engine cannot work out where chunks have no message indexes.
void take_statistics(const BagIndex& index, Summary& summary) {
  if (index.table.are_counts_sure || !index.statistics) return;
  summary.message_counts.assign(index.definitions.channels_size(), 0);
  for (auto [channel, messages] : index.statistics->channel_messages) {
    if (auto slot = index.definitions.slot(channel)) summary.message_counts[*slot] += messages;
  }
  summary.messages = index.statistics->messages;
}

BagPtr open(const Input& given, const ReadOptions& options, const Session& session) {
  Input input = mended(given, options);
  if (is_cut_off(input) && !input.file->is_forward_only()) {
    return open_empty(input, kFormatName, options);
  }
  require_magic(input);
  if (input.file->is_forward_only()) return open_stream(input, options);
  auto file = std::make_shared<const ChunkFile>(input.file, input.path, options.check_crc,
                                                MemoryLimit(options.max_memory_bytes),
                                                session.chunk_cache());
  Summary summary;
  summary.format = "mcap";
  summary.version = "0";
  summary.size_bytes = input.file->size();  // before it is read: it may be growing
  BagIndex index = open_index(file, options);
  summary.indexed = index.is_found;
  summary.library = index.library;
  summary.profile = index.profile;
  take_statistics(index, summary);
  std::vector<Extra> extras = std::move(index.extras);
  auto store = std::make_shared<const Store>(file, std::move(index), options);
  return std::make_shared<ChunkedBag>(std::move(store), std::move(summary), input.file,
                                      std::move(extras));
}

void check_input(const Input& given, const ReadOptions& options, const Session&) {
  Input input = mended(given, options);
  require_magic(input);
  auto file = std::make_shared<const ChunkFile>(input.file, input.path, options.check_crc,
                                                MemoryLimit(options.max_memory_bytes));
  ReadOptions remarks = options;  // check() reports what is wrong
  remarks.on_problem = [&](const Error& problem) {
    if (problem.code() == ErrorCode::remark) report(options.on_problem, problem);
  };
  Tail tail;
  open_by_summary(file, tail, remarks);
  check(file, options);
}

std::unique_ptr<Writer> create(const std::string& path, const WriteOptions& options,
                               const Session& session) {
  make_settings(options);  // refuses what it does not know before there is a file
  return std::make_unique<BagWriter>(create_bag_file(path, options, session), path, options);
}

std::unique_ptr<Writer> append_file_of(const std::string& path, const WriteOptions& options,
                                       const Session& session) {
  make_settings(options);
  return append_to(path, options, *session.file_system(path));
}

}  // namespace
}  // namespace mcap

Format mcap_format() {
  Format format;
  format.name = "mcap";
  format.extension = ".mcap";
  format.description = "MCAP, what ROS 2 records by default";
  format.matches = mcap::matches;
  format.open = mcap::open;
  format.check = mcap::check_input;
  format.create = mcap::create;
  format.append = mcap::append_file_of;
  format.excerpt = mcap::excerpt_of;
  format.compressions = {"none", "lz4", "zstd"};
  format.presets = {"none", "fastwrite", "zstd_fast", "zstd_small"};
  format.can_stream = true;
  format.media_type = "application/mcap";
  return format;
}

}  // namespace kitbag
