#include <algorithm>

#include "io/file_slice.h"
#include "kitbag/session.h"
#include "model/empty_bag.h"
#include "storage/chunked/bag.h"
#include "storage/chunked/unfinished.h"
#include "storage/rosbag/check.h"
#include "storage/rosbag/store.h"
#include "storage/rosbag/versions.h"
#include "storage/rosbag/writer.h"
#include "storage/writing/file_options.h"
#include "storage/writing/late_messages.h"

// 2.0 and 1.3 are one reader, because they differ only in what a message refers to. 1.3 is read by
// scanning: its index holds nothing that the chunks do not hold, and no program of today writes it.
//
// An append locks the file before it reads the index. Otherwise two appends could read the same
// index, and the one that ends last would write a header without the chunks of the other.
//
// The lock of gpg is made before the target is created: if gpg has no such key, nothing is left
// behind.

namespace kitbag::rosbag {

namespace {

int matches_2_0(const Input& input) {
  return match_line(input, kVersionLine);
}

int matches_1_3(const Input& input) {
  return match_line(input, kVersionLine1_3);
}

/// Throws for a file that ends inside its first line.
void require_first_line(std::string_view head, const std::string& path) {
  if (head.size() >= kVersionLine.size()) return;
  throw Error(ErrorCode::truncated, "the file ends within its first line; nothing can be saved",
              path, head.size());
}

/// True: there was something to report.
bool tell_unfinished(const ChunkFile& file, std::uint64_t end, const ReadOptions& options) {
  std::uint64_t size = file.file().size();
  if (end == 0 || end >= size) return false;
  report(options.on_problem, unfinished_append(file.path(), end, size - end));
  return true;
}

BagPtr open_chunked(const Input& input, const ReadOptions& options, const Session& session,
                    std::string_view version) {
  if (input.head.size() < kVersionLine.size()) return open_empty(input, "rosbag", options);
  auto file = open_chunk_file(input.file, input.path, options.gpg_key,
                              MemoryLimit(options.max_memory_bytes), session.chunk_cache());
  Summary summary;
  summary.size_bytes = input.file->size();  // before it is read: it may be growing
  BagIndex index = open_index(*file, options);
  if (index.is_found && !index.is_scanned) tell_unfinished(*file, index.end, options);
  summary.format = "rosbag";
  summary.version = version;
  summary.indexed = index.is_found;
  if (index.header.encryption) {
    summary.encryption = index.header.encryption->encryptor;
    summary.gpg_user = index.header.encryption->gpg_user;
  }
  std::vector<Extra> extras(index.header.metadata.begin(), index.header.metadata.end());
  auto store = std::make_shared<const Store>(file, std::move(index), options);
  return std::make_shared<ChunkedBag>(std::move(store), std::move(summary), input.file,
                                      std::move(extras));
}

BagPtr open_2_0(const Input& input, const ReadOptions& options, const Session& session) {
  return open_chunked(input, options, session, "2.0");
}

BagPtr open_1_3(const Input& input, const ReadOptions& options, const Session& session) {
  return open_chunked(input, options, session, "1.3");
}

void check_2_0(const Input& input, const ReadOptions& options) {
  require_first_line(as_text(input.head), input.path);
  auto file = open_chunk_file(input.file, input.path, options.gpg_key,
                              MemoryLimit(options.max_memory_bytes));
  std::uint64_t end = end_of_bag(*file);
  if (tell_unfinished(*file, end, options)) {
    auto front = std::make_shared<const FileSlice>(input.file, 0, end);
    file = open_chunk_file(std::move(front), input.path, options.gpg_key,
                           MemoryLimit(options.max_memory_bytes));
  }
  check(*file, options.on_problem);
}

/// What can be read by scanning, and its order in time; the index is left aside.
void check_1_3(const Input& input, const ReadOptions& options) {
  Query query;
  query.order = Order::file;
  LateMessages late;
  auto source = open_1_3(input, options, Session(Registry()))->read(query);
  for (Batch batch; source->read(batch, {}); batch.clear()) {
    for (const Message& message : batch.messages()) late.add(Error::kNoOffset, message.log_time);
  }
  late.finish(input.path, options.on_problem);
}

void require_compression_2_0(const WriteOptions& options) {
  const std::string& name = options.compression;
  if (name == "none" || name == "lz4" || name == "bz2") return;
  throw Error(ErrorCode::invalid,
              "rosbag 2.0 supports the compressions none, lz4 and bz2, not '" + name + "'");
}

/// An append must not encrypt the old data, nor add unencrypted data to an encrypted bag.
void require_plain_2_0(const ChunkFile& file, const WriteOptions& options) {
  if (auto encryption = find_encryption(file.file(), file.path())) {
    throw file.error(
        ErrorCode::unsupported,
        "the bag is " + describe(*encryption) + " and cannot be appended to; decrypt it first",
        kVersionLine.size());
  }
  if (options.gpg_key.empty()) return;
  throw Error(ErrorCode::invalid, "an append cannot encrypt the bag; encrypt it afterwards",
              file.path());
}

/// Where the file header ends, which is written last: its fields, padding, and their lengths.
constexpr std::uint64_t kHeaderEnd =
    kVersionLine.size() + kFileHeaderBytes + 2 * sizeof(std::uint32_t);

std::unique_ptr<Writer> create_2_0(const std::string& path, const WriteOptions& options,
                                   const Session& session) {
  require_compression_2_0(options);
  Lock lock;
  if (!options.gpg_key.empty()) lock = make_lock(options.gpg_key);
  return std::make_unique<BagWriter>(create_bag_file(path, options, session, kHeaderEnd), path,
                                     options, std::move(lock));
}

std::unique_ptr<Writer> append_2_0(const std::string& path, const WriteOptions& options,
                                   const Session& session) {
  require_compression_2_0(options);
  FileSystemPtr files = session.file_system(path);
  auto lock = files->lock(path, LockKind::exclusive, options.on_warning);
  ChunkFile file(files->open(path), path);
  require_plain_2_0(file, options);
  FileHeader header = read_file_header(file);
  if (header.index_pos == 0) {
    throw Error(ErrorCode::unsupported,
                "the bag was not closed and has no index; convert it to a new bag first", path,
                kVersionLine.size());
  }
  BagIndex index = read_index(file, header);
  if (!index.connections.are_complete()) {
    throw Error(ErrorCode::unsupported,
                "the bag is a first draft of version 2.0: its index does not say the topics and "
                "types of its connections; convert it to a new bag first",
                path, header.index_pos);
  }
  auto target = files->append(path, index.end, std::move(lock), file_options(options));
  return std::make_unique<BagWriter>(std::move(target), path, options, index);
}

}  // namespace

Version version_1_3() {
  return {"1.3", matches_1_3, open_1_3, check_1_3, nullptr, nullptr, {kVersionLine1_3}};
}

Version version_2_0() {
  return {"2.0", matches_2_0, open_2_0, check_2_0, create_2_0, append_2_0, {kVersionLine}};
}

}  // namespace kitbag::rosbag
