#include "storage/sqlite3/writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "kitbag/error.h"
#include "kitbag/rosbag2.h"
#include "storage/rosbag2/conventions.h"
#include "storage/sqlite3/reader.h"

namespace kitbag::sqlite3 {

namespace {

/// A transaction is ended when it has as much.
constexpr std::uint64_t kTransactionBytes = 8 << 20;
constexpr std::uint64_t kStampedMessages = 4096;
/// Rows that one statement inserts: what a statement costs by itself is more than what a row does.
constexpr std::size_t kRowsAtOnce = 64;
/// What a message takes in table and index beside its payload; an estimate.
constexpr std::uint64_t kRowBytes = 34;
/// What an empty bag has, about.
constexpr std::uint64_t kEmptyBytes = 40960;

constexpr const char* kMetadataName = "rosbag2";
constexpr const char* kMetadataKey = "serialized_metadata";

const char* topics_table(int schema_version) {
  if (schema_version >= 4) {
    return "CREATE TABLE topics(id INTEGER PRIMARY KEY,name TEXT NOT NULL,type TEXT NOT NULL,"
           "serialization_format TEXT NOT NULL,offered_qos_profiles TEXT NOT NULL,"
           "type_description_hash TEXT NOT NULL);";
  }
  if (schema_version >= 2) {
    return "CREATE TABLE topics(id INTEGER PRIMARY KEY,name TEXT NOT NULL,type TEXT NOT NULL,"
           "serialization_format TEXT NOT NULL,offered_qos_profiles TEXT NOT NULL);";
  }
  return "CREATE TABLE topics(id INTEGER PRIMARY KEY,name TEXT NOT NULL,type TEXT NOT NULL,"
         "serialization_format TEXT NOT NULL);";
}

/// Brings what is in the file to the disk.
void sync_file(int file, const std::string& path) {
  if (::fsync(file) != 0) throw system_error("write the file to the disk", errno, path);
}

}  // namespace

Settings make_settings(const WriteOptions& options) {
  Settings settings;
  rosbag2::Conventions conventions = rosbag2::conventions_of(options);
  settings.schema_version = conventions.schema_version;
  settings.metadata_version = conventions.metadata_version;
  settings.is_resilient = options.preset == "resilient";
  settings.is_compressed = options.compression == "zstd";
  settings.is_visible = options.is_visible;
  return settings;
}

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
      encodings_(path),
      pace_(options) {
  if (settings_.is_compressed) compressor_ = make_compressor("zstd");
  if (is_appending) {
    ReadOptions reading;
    Input input{path, {}, open_file(path), local_file_system()};
    Store old(open_pages(input, {}), reading);
    take_old(old.content(), open_bag(input, reading)->summary());
  }
  database_ =
      std::make_unique<Database>(file_ ? file_->name() : path_, path_, !settings_.is_resilient);
  database_->run("PRAGMA locking_mode=EXCLUSIVE;");
  limit_size();
  if (settings_.is_resilient) {
    database_->run("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;");
  } else {
    database_->run("PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF;");
  }
  begin_transaction();
  if (!is_appending) create_tables();
  prepare();
  put_metadata();
  end_transaction();
}

/// Beyond the limit that is set for files a write would end the program.
void BagWriter::limit_size() {
  auto page_bytes = static_cast<std::uint64_t>(database_->prepare("PRAGMA page_size;").number());
  std::uint64_t pages = std::min<std::uint64_t>(file_size_limit() / page_bytes, 4'294'967'294);
  database_->run(fmt::format("PRAGMA max_page_count={};", pages).c_str());
}

BagWriter::~BagWriter() {
  if (!is_closed_) abandon();
}

/// A bag that was written in the open stays, with what was committed.
void BagWriter::abandon() noexcept {
  try {
    bool is_kept = !file_;
    if (is_kept && database_ && is_open_) end_transaction();
    insert_ = Statement();
    insert_many_ = Statement();
    database_.reset();
    if (file_) {
      for (const char* ending : {"-wal", "-shm", "-journal"}) {
        ::unlink((file_->name() + ending).c_str());
      }
    }
  } catch (const Error&) {
    database_.reset();  // an error that was worth telling has been thrown before
  }
}

void BagWriter::create_tables() {
  int version = settings_.schema_version;
  if (version >= 3) {
    database_->run(
        "CREATE TABLE schema(schema_version INTEGER PRIMARY KEY,ros_distro TEXT NOT NULL);");
    database_->prepare("INSERT INTO schema (schema_version, ros_distro) VALUES (?, ?);")
        .bind(1, std::int64_t{version})
        .bind(2, std::string_view(ros_distro_))
        .run();
  }
  database_->run(
      "CREATE TABLE metadata(id INTEGER PRIMARY KEY,metadata_version INTEGER NOT NULL,"
      "metadata TEXT NOT NULL);");
  database_->run(topics_table(version));
  database_->run(
      "CREATE TABLE message_definitions(id INTEGER PRIMARY KEY,topic_type TEXT NOT NULL,"
      "encoding TEXT NOT NULL,encoded_message_definition TEXT NOT NULL,"
      "type_description_hash TEXT NOT NULL);");
  database_->run(
      "CREATE TABLE messages(id INTEGER PRIMARY KEY,topic_id INTEGER NOT NULL,"
      "timestamp INTEGER NOT NULL, data BLOB NOT NULL);");
  database_->run("CREATE INDEX timestamp_idx ON messages (timestamp ASC);");
}

void BagWriter::prepare() {
  std::string sql = "INSERT INTO messages (timestamp, topic_id, data) VALUES (?, ?, ?)";
  insert_ = database_->prepare(sql.c_str());
  for (std::size_t i = 1; i < kRowsAtOnce; ++i) sql += ", (?, ?, ?)";
  insert_many_ = database_->prepare(sql.c_str());
}

/// What is in the bag that is appended to.
void BagWriter::take_old(const Content& content, const Summary& summary) {
  settings_.schema_version = content.schema_version;
  ChannelsPtr channels = make_channels(content);
  for (std::size_t i = 0; i < content.topics.size(); ++i) {
    const Content::Topic& topic = content.topics[i];
    const ChannelPtr& channel = (*channels)[i];
    encodings_.add(*channel);
    by_content_.try_emplace(channel, static_cast<std::uint32_t>(i));
    topics_.push_back({topic.id,
                       {topic.name, topic.type, topic.encoding, topic.qos, topic.type_hash,
                        summary.message_counts[i]}});
  }
  for (const Content::Definition& one : content.definitions) {
    definitions_[one.type].try_emplace({one.language, one.text, one.type_hash}, one.id);
  }
  messages_ = summary.messages;
  start_ = summary.start;
  end_ = summary.end;
  bytes_ = summary.size_bytes;
  if (!content.records.empty()) records_ = content.records.rbegin()->first + 1;
  if (!content.metadata) return;
  custom_data_ = content.metadata->custom_data;
  ros_distro_ = content.metadata->ros_distro;
  bool was_compressed = content.metadata->compression_mode == "MESSAGE";
  if (was_compressed && !settings_.is_compressed) {
    settings_.is_compressed = true;
    compressor_ = make_compressor("zstd");
  }
}

void BagWriter::begin_transaction() {
  if (!is_open_) database_->run("BEGIN;");
  is_open_ = true;
}

void BagWriter::end_transaction() {
  put_stamps();
  if (is_open_) database_->run("COMMIT;");
  bool was_open = std::exchange(is_open_, false);
  uncommitted_bytes_ = 0;
  if (was_open && pace_.syncs_chunks()) sync();
}

/// What was committed is on the disk; of a bag with a log, in that.
void BagWriter::sync() const {
  if (!settings_.is_resilient) return sync_file(descriptor(), path_);
  Descriptor log = open_descriptor((file_ ? file_->name() : path_) + "-wal", O_RDWR);
  if (!log) throw system_error("write the file to the disk", errno, path_);
  sync_file(log.get(), path_);
}

void BagWriter::write(Batch&& batch) {
  sticky_.run([&] {
    if (is_closed_) throw Error(ErrorCode::invalid, "cannot write to a closed bag", path_);
    begin_transaction();
    for (const Extra& extra : batch.extras) take(extra);
    places_.declare(batch.channels,
                    [this](const ChannelPtr& channel) { return add_topic(channel); });
    for (const Message& message : std::as_const(batch).messages()) put(message);
    insert_rows();
    if (uncommitted_bytes_ >= kTransactionBytes) end_transaction();
    if (!batch.empty()) pace_.note();
  });
}

void BagWriter::tick(SteadyTime now) {
  WritePace::Work work = pace_.tick(now);
  if (work.flush || work.sync) flush();
  if (work.sync) sticky_.run([&] { sync(); });
}

/// Attachments have no place.
void BagWriter::take(const Extra& extra) {
  const auto* record = std::get_if<Metadata>(&extra);
  if (!record) return left_out_.add(extra);
  if (!take_rosbag2(*record)) put_record(*record);
}

/// What rosbag2 says of a bag as a whole is said in its own place. False: the record is another.
bool BagWriter::take_rosbag2(const Metadata& record) {
  auto text = record.values.find(kMetadataKey);
  if (record.name != kMetadataName || text == record.values.end()) return false;
  try {
    rosbag2::BagMetadata declared = rosbag2::parse_metadata(text->second, path_);
    custom_data_.merge(declared.custom_data);
    if (ros_distro_.empty()) ros_distro_ = declared.ros_distro;
    return true;
  } catch (const Error& error) {
    if (!is_damage(error.code())) throw;
    return false;
  }
}

/// A row for each value; a record without any has one row.
void BagWriter::put_record(const Metadata& record) {
  database_->run(
      "CREATE TABLE IF NOT EXISTS kitbag_metadata(record INTEGER NOT NULL,name TEXT NOT NULL,"
      "key TEXT,value TEXT);");
  Statement insert = database_->prepare(
      "INSERT INTO kitbag_metadata (record, name, key, value) VALUES (?, ?, ?, ?);");
  insert.bind(1, records_++).bind(2, std::string_view(record.name));
  if (record.values.empty()) insert.run();
  for (const auto& [key, value] : record.values) {
    insert.bind(3, std::string_view(key)).bind(4, std::string_view(value)).run();
    bytes_ += key.size() + value.size() + kRowBytes;
  }
}

std::uint32_t BagWriter::add_topic(const ChannelPtr& channel) {
  auto known = by_content_.find(channel);
  if (known != by_content_.end()) return known->second;
  encodings_.add(*channel);
  Content::Topic row;
  row.name = channel->topic;
  row.type = channel->type();
  row.encoding = channel->encoding;
  row.qos = rosbag2::qos_of(*channel, rosbag2::qos_form(settings_.metadata_version));
  if (auto hash = channel->metadata.find("topic_type_hash"); hash != channel->metadata.end()) {
    row.type_hash = hash->second;
  }
  int version = settings_.schema_version;
  Statement insert = database_->prepare(
      version >= 4   ? "INSERT INTO topics(name, type, serialization_format, offered_qos_profiles, "
                       "type_description_hash) VALUES (?, ?, ?, ?, ?);"
      : version >= 2 ? "INSERT INTO topics(name, type, serialization_format, offered_qos_profiles) "
                       "VALUES (?, ?, ?, ?);"
                     : "INSERT INTO topics(name, type, serialization_format) VALUES (?, ?, ?);");
  insert.bind(1, std::string_view(row.name))
      .bind(2, std::string_view(row.type))
      .bind(3, std::string_view(row.encoding));
  if (version >= 2) insert.bind(4, std::string_view(row.qos));
  if (version >= 4) insert.bind(5, std::string_view(row.type_hash));
  insert.run();
  std::int64_t id = database_->last_id();
  keep_metadata(id, *channel, row);
  auto place = static_cast<std::uint32_t>(topics_.size());
  topics_.push_back({id, {row.name, row.type, row.encoding, row.qos, row.type_hash, 0}});
  by_content_.emplace(channel, place);
  return place;
}

/// Keeps what the row of the topic does not say of the channel, in `kitbag_channels`.
void BagWriter::keep_metadata(std::int64_t topic, const Channel& channel,
                              const Content::Topic& row) {
  std::map<std::string, std::string> kept;
  Content::Topic read = row;
  if (settings_.schema_version < 4) read.type_hash.clear();
  if (settings_.schema_version < 2) read.qos.clear();
  std::map<std::string, std::string> given = channel.metadata;
  // The same profiles in another form are said.
  auto profiles = given.find("offered_qos_profiles");
  if (profiles != given.end() && !read.qos.empty()) profiles->second = read.qos;
  if (given != metadata_of(read)) kept = given;
  if (channel.schema) {
    std::int64_t definition = definition_of(*channel.schema, row.type_hash);
    bool is_only = definitions_[channel.schema->name].size() == 1;
    if (!is_only) kept = given;
    if (!is_only) kept[""] = std::to_string(definition);
  }
  if (kept.empty()) return;
  database_->run(
      "CREATE TABLE IF NOT EXISTS kitbag_channels(topic_id INTEGER NOT NULL,key TEXT NOT NULL,"
      "value TEXT NOT NULL);");
  Statement insert =
      database_->prepare("INSERT INTO kitbag_channels (topic_id, key, value) VALUES (?, ?, ?);");
  for (const auto& [key, value] : kept) {
    insert.bind(1, topic).bind(2, std::string_view(key)).bind(3, std::string_view(value)).run();
  }
}

std::int64_t BagWriter::definition_of(const Schema& schema, const std::string& type_hash) {
  auto [place, is_new] =
      definitions_[schema.name].try_emplace({schema.language, schema.text, type_hash});
  if (!is_new) return place->second;
  database_
      ->prepare(
          "INSERT INTO message_definitions (topic_type, encoding, "
          "encoded_message_definition, type_description_hash) VALUES (?, ?, ?, ?);")
      .bind(1, std::string_view(schema.name))
      .bind(2, std::string_view(schema.language))
      .bind(3, std::string_view(schema.text))
      .bind(4, std::string_view(type_hash))
      .run();
  place->second = database_->last_id();
  return place->second;
}

void BagWriter::put(const Message& message) {
  WrittenTopic& topic = topics_[places_[message.channel->slot]];
  ByteView data = message.data;
  if (compressor_) {
    compressor_->compress(data, packed_);
    data = packed_.view();
  }
  rows_.push_back({to_ns(message.log_time), topic.id, data});
  ++topic.declared.messages;
  bool is_first = messages_++ == 0;
  start_ = is_first ? message.log_time : std::min(start_, message.log_time);
  end_ = is_first ? message.log_time : std::max(end_, message.log_time);
  uncommitted_bytes_ += data.size() + kRowBytes;
  bytes_ += data.size() + kRowBytes;
  if (stamped_ == 0) stamps_row_ = rows_.size() - 1;
  auto delay = static_cast<std::int64_t>(static_cast<std::uint64_t>(to_ns(message.publish_time)) -
                                         static_cast<std::uint64_t>(to_ns(message.log_time)));
  stamps_.add({delay, message.sequence});
  bool completes_stamps = ++stamped_ == kStampedMessages;
  bool holds_packed = compressor_ != nullptr;  // which is for one message
  if (rows_.size() == kRowsAtOnce || completes_stamps || holds_packed) insert_rows();
  if (completes_stamps) put_stamps();
}

void BagWriter::insert_rows() {
  if (rows_.empty()) return;
  if (rows_.size() == kRowsAtOnce) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      rows_[i].bind(insert_many_, static_cast<int>(i * Row::kParameters));
    }
    insert_many_.run();
  } else {
    for (const Row& row : rows_) {
      row.bind(insert_, 0);
      insert_.run();
    }
  }
  if (stamps_row_) {
    auto behind = static_cast<std::int64_t>(rows_.size() - 1 - *stamps_row_);
    stamps_first_ = database_->last_id() - behind;
    stamps_row_.reset();
  }
  rows_.clear();
}

void BagWriter::Row::bind(Statement& insert, int before) const {
  insert.bind(before + 1, time_ns).bind(before + 2, topic).bind(before + 3, data);
}

void BagWriter::put_stamps() {
  if (stamps_.is_needed()) {
    database_->run(
        "CREATE TABLE IF NOT EXISTS kitbag_stamps(first_id INTEGER PRIMARY KEY,"
        "stamps BLOB NOT NULL);");
    database_->prepare("INSERT INTO kitbag_stamps (first_id, stamps) VALUES (?, ?);")
        .bind(1, stamps_first_)
        .bind(2, stamps_.bytes())
        .run();
    bytes_ += stamps_.bytes().size();
  }
  stamps_.clear();
  stamped_ = 0;
}

rosbag2::BagMetadata BagWriter::declared() const {
  rosbag2::BagMetadata metadata;
  metadata.storage = "sqlite3";
  metadata.start = messages_ > 0 ? start_ : rosbag2::kNoStart;
  metadata.duration = messages_ > 0 ? end_ - start_ : Duration::zero();
  metadata.messages = messages_;
  for (const WrittenTopic& topic : topics_) metadata.topics.push_back(topic.declared);
  if (settings_.is_compressed) {
    metadata.compression_format = "zstd";
    metadata.compression_mode = "MESSAGE";
  }
  metadata.paths = {std::filesystem::path(path_).filename().string()};
  metadata.files = {{metadata.paths[0], metadata.start, metadata.duration, metadata.messages}};
  metadata.custom_data = custom_data_;
  metadata.ros_distro = ros_distro_;
  return metadata;
}

void BagWriter::put_metadata() {
  std::string text = rosbag2::print_metadata(declared(), settings_.metadata_version, true);
  database_->run(
      "CREATE TABLE IF NOT EXISTS metadata(id INTEGER PRIMARY KEY,"
      "metadata_version INTEGER NOT NULL,metadata TEXT NOT NULL);");
  database_->prepare("INSERT INTO metadata (metadata_version, metadata) VALUES (?, ?);")
      .bind(1, std::int64_t{settings_.metadata_version})
      .bind(2, std::string_view(text))
      .run();
}

void BagWriter::flush() {
  sticky_.run([&] {
    if (is_open_) end_transaction();
  });
}

void BagWriter::close() {
  sticky_.run([&] {
    if (is_closed_) return;
    begin_transaction();
    left_out_.tell("sqlite3", path_, on_warning_);
    if (settings_.schema_version >= 3 && !ros_distro_.empty()) {
      database_->prepare("UPDATE schema SET ros_distro = ?;")
          .bind(1, std::string_view(ros_distro_))
          .run();
    }
    put_stamps();
    put_metadata();
    end_transaction();
    insert_ = Statement();
    insert_many_ = Statement();
    // Without a log of its own a bag is read from where nothing can be written, too.
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
  return std::max(bytes_, kEmptyBytes);
}

}  // namespace kitbag::sqlite3
