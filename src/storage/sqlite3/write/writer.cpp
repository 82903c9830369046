#include "storage/sqlite3/write/writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "kitbag/error.h"
#include "storage/sqlite3/reader.h"
#include "storage/sqlite3/write/create_tables.h"

// Messages are inserted in transactions of 8 MiB, or shorter where the options limit the loss. One
// transaction for each batch would cost a commit each time; one for the whole bag would lose
// everything with the program. The metadata is embedded twice, as rosbag2 does it: in the first
// transaction, and with the counts in the last one. Readers take the last row.
//
// Locks decide the order in which the file is opened and closed. SQLite's locks are POSIX locks,
// which end when the process closes any descriptor of the file. kitbag's own descriptor is
// therefore opened before the database and closed after it, and none is opened in between (decision
// 013).

namespace kitbag::sqlite3 {

namespace {

/// A transaction is committed when it has this much.
constexpr std::uint64_t kTransactionBytes = 8 << 20;
/// About the size of an empty bag.
constexpr std::uint64_t kEmptyBytes = 40960;

/// Syncs the file to the disk.
void sync_file(int file, const std::string& path) {
  if (::fsync(file) != 0) throw system_error("write the file to the disk", errno, path);
}

}  // namespace

BagWriter::BagWriter(std::unique_ptr<StagedFile> file, const std::string& path,
                     const WriteOptions& options, bool is_appending)
    : BagWriter(std::move(file), {}, path, options, is_appending) {}

BagWriter::BagWriter(Descriptor visible, const std::string& path, const WriteOptions& options)
    : BagWriter(nullptr, std::move(visible), path, options, false) {}

BagWriter::BagWriter(std::unique_ptr<StagedFile> file, Descriptor visible, const std::string& path,
                     const WriteOptions& options, bool is_appending)
    : settings_(make_settings(options)),
      path_(path),
      on_warning_(options.on_warning),
      file_(std::move(file)),
      visible_(std::move(visible)),
      pace_(options) {
  std::optional<OldBag> old;
  if (is_appending) old = read_old();
  open_database();
  begin_transaction();
  if (old) {
    continue_bag(*old);
  } else {
    begin_bag();
  }
  metadata_->embed(topics_->all());
  end_transaction();
}

BagWriter::OldBag BagWriter::read_old() const {
  ReadOptions reading{.on_problem = throw_unless_unclosed};
  Input input{path_, {}, open_file(path_), local_file_system()};
  Store store(open_pages(input, {}), reading);
  return {store.content(), open_bag(input, reading)->summary()};
}

void BagWriter::open_database() {
  database_ = std::make_unique<Database>(database_name(), path_, !settings_.is_resilient);
  database_->run("PRAGMA locking_mode=EXCLUSIVE;");
  // Beyond the limit that is set for files a write would end the program.
  auto page_bytes = static_cast<std::uint64_t>(database_->prepare("PRAGMA page_size;").number());
  std::uint64_t pages = std::min<std::uint64_t>(file_size_limit() / page_bytes, 4'294'967'294);
  database_->run(fmt::format("PRAGMA max_page_count={};", pages).c_str());
  if (settings_.is_resilient) {
    database_->run("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;");
  } else {
    database_->run("PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF;");
  }
}

void BagWriter::begin_bag() {
  create_tables(*database_, settings_.schema_version);
  topics_.emplace(*database_, settings_, path_);
  messages_.emplace(*database_, settings_.is_compressed);
  metadata_.emplace(*database_, settings_, path_);
}

/// An append uses the schema of the bag, and compresses messages if those in the bag are
/// compressed.
void BagWriter::continue_bag(const OldBag& old) {
  const auto& metadata = old.content.metadata;
  settings_.schema_version = old.content.schema_version;
  settings_.is_compressed |= metadata && metadata->compression_mode == "MESSAGE";
  topics_.emplace(*database_, settings_, path_).take_old(old.content, old.summary);
  messages_.emplace(*database_, settings_.is_compressed);
  metadata_.emplace(*database_, settings_, path_).take_old(old.content, old.summary);
  bytes_ = old.summary.size_bytes;
}

BagWriter::~BagWriter() {
  if (!is_closed_) abandon();
}

/// A bag that was visible while it was written stays, with what was committed.
void BagWriter::abandon() noexcept {
  try {
    bool is_kept = !file_;
    if (is_kept && has_transaction()) end_transaction();
    messages_->close();
    database_.reset();
    if (file_) {
      for (const char* ending : {"-wal", "-shm", "-journal"}) {
        ::unlink((file_->name() + ending).c_str());
      }
    }
  } catch (const Error&) {
    database_.reset();  // an error worth reporting was thrown before
  }
}

void BagWriter::begin_transaction() {
  if (!has_transaction()) database_->run("BEGIN;");
}

void BagWriter::end_transaction() {
  messages_->put_stamps();
  database_->run("COMMIT;");
  uncommitted_bytes_ = 0;
  if (pace_.syncs_chunks()) sync();
}

/// What was committed is on the disk; for a bag with a log, in the log.
void BagWriter::sync() const {
  if (!settings_.is_resilient) return sync_file(descriptor(), path_);
  Descriptor log = open_descriptor(database_name() + "-wal", O_RDWR);
  if (!log) throw system_error("write the file to the disk", errno, path_);
  sync_file(log.get(), path_);
}

void BagWriter::write(Batch&& batch) {
  sticky_.run([&] {
    if (is_closed_) throw Error(ErrorCode::invalid, "cannot write to a closed bag", path_);
    begin_transaction();
    for (const Extra& extra : batch.extras) take(extra);
    places_.declare(batch.channels,
                    [this](const ChannelPtr& channel) { return topics_->add(channel); });
    for (const Message& message : std::as_const(batch).messages()) put(message);
    messages_->insert();
    if (uncommitted_bytes_ >= kTransactionBytes) end_transaction();
    if (!batch.empty()) pace_.note();
  });
}

void BagWriter::put(const Message& message) {
  WrittenTopic& topic = (*topics_)[places_[message.channel->slot]];
  std::uint64_t bytes = messages_->put(message, topic.id);
  ++topic.declared.messages;
  metadata_->count(message.log_time);
  uncommitted_bytes_ += bytes;
  bytes_ += bytes;
}

/// There is no place for attachments.
void BagWriter::take(const Extra& extra) {
  const auto* record = std::get_if<Metadata>(&extra);
  if (!record) return left_out_.add(extra);
  bytes_ += metadata_->put(*record);
}

void BagWriter::tick(SteadyTime now) {
  WritePace::Work work = pace_.tick(now);
  if (work.flush || work.sync) flush();
  if (work.sync) sticky_.run([&] { sync(); });
}

void BagWriter::flush() {
  sticky_.run([&] {
    if (has_transaction()) end_transaction();
  });
}

void BagWriter::close() {
  sticky_.run([&] {
    if (is_closed_) return;
    begin_transaction();
    left_out_.tell("sqlite3", path_, on_warning_);
    metadata_->put_distro(settings_.schema_version);
    messages_->put_stamps();
    metadata_->embed(topics_->all());
    end_transaction();
    // SQLite does not close a database that has open statements.
    messages_->close();
    // A bag without a log of its own can also be read where nothing can be written.
    if (settings_.is_resilient) database_->run("PRAGMA journal_mode=DELETE;");
    database_->close();
    database_.reset();
    sync_file(descriptor(), path_);
    if (file_) file_->publish();
    visible_.close();
    is_closed_ = true;
  });
}

std::uint64_t BagWriter::size_bytes() const {
  return std::max(bytes_ + messages_->stamps_bytes(), kEmptyBytes);
}

}  // namespace kitbag::sqlite3
