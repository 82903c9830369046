#include "storage/sqlite3/reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/backward_walk.h"
#include "model/extras.h"
#include "storage/rosbag2/declared_topics.h"
#include "storage/rosbag2/embedded.h"
#include "storage/sqlite3/message_row.h"
#include "storage/sqlite3/verify.h"

// Opening reads a few pages, however large the bag is. Tables do not hold the number of their rows,
// so the counts come from the metadata that rosbag2 embeds in the file. That may be wrong: rosbag2
// writes it at the start without counts, and with wrong ones if it has split the bag. Therefore the
// ends are compared: rosbag2 never deletes a message, so the first and the last id give the number
// of rows, and the first and the last entry of the time index give the times. If these agree with
// the metadata, so do the counts, most likely; the readers compare what they deliver with what was
// promised. If they do not agree, the messages are counted when somebody asks for the summary.
//
// A write-ahead log beside the file belongs to its content and is read with it. A rollback journal
// is the opposite: it holds old pages that must be put back. kitbag only reports it (decision 007).
//
// Salvaging, which reads the whole file, is done once for all readers of a bag, and under the lock:
// who comes second waits for the result.

namespace kitbag::sqlite3 {

namespace {

constexpr std::string_view kJournalMagic("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);

/// The file beside the bag whose name goes on with `ending`; null where there is none.
std::shared_ptr<const ReadFile> sidecar(const Input& input, const char* ending) {
  std::string path = input.path + ending;
  if (!input.files) return nullptr;
  auto status = input.files->status(path);
  if (!status || !status->is_regular) return nullptr;
  auto file = input.files->open(path);
  return file->size() > 0 ? file : nullptr;
}

/// The record in which all storages of rosbag2 carry the content of `metadata.yaml`, unless that
/// says no more than the messages; and the records in kitbag's own table.
std::vector<Extra> extras_of(const Content& content) {
  std::vector<Extra> extras;
  bool says_more = content.metadata &&
                   !(content.metadata->custom_data.empty() && content.metadata->ros_distro.empty());
  if (says_more) {
    extras.emplace_back(rosbag2::embedded_record(content.metadata_text));
  }
  for (const auto& [number, record] : content.records) extras.emplace_back(record);
  return extras;
}

/// The id of the first message.
std::optional<std::int64_t> first_id(const Store& store) {
  TableCursor cursor(store.file(), store.content().messages);
  Row row;
  if (!cursor.next(row)) return std::nullopt;
  return row.id;
}

/// The earliest time, or the latest.
std::optional<Time> edge_time(const Store& store, bool is_last) {
  TimeIndex index(*store.file(), store.content().time_index, is_last);
  index.seek_start();
  TimedRow row;
  if (!index.next(row)) return std::nullopt;
  return from_ns(row.time_ns);
}

class SqliteBag final : public Bag {
 public:
  explicit SqliteBag(std::shared_ptr<const Store> store)
      : store_(std::move(store)), extras_(extras_of(store_->content())) {
    const Content& content = store_->content();
    summary_.format = "sqlite3";
    summary_.version = std::to_string(content.schema_version);
    summary_.size_bytes = store_->file()->file_bytes();
    summary_.indexed = content.time_index != 0;
    if (content.metadata && content.metadata->compression_mode == "MESSAGE") {
      summary_.message_compression = content.metadata->compression_format;
    }
    summary_.channels = store_->channels();
    summary_.message_counts.resize(summary_.channels->size(), 0);
    outline_ = summary_;
    outline_.message_counts.clear();
    has_outline_ = take_outline();
    is_declared_ = !content.messages || (has_outline_ && take_declared_counts());
    is_counted_ = is_declared_;
  }

  /// Counts the messages if the bag has no count.
  const Summary& summary() const override {
    std::lock_guard lock(mutex_);
    if (!is_counted_) count();
    is_counted_ = true;
    return summary_;
  }

  std::unique_ptr<Source> read_messages(const Query& query, const Wait& wait) const override {
    return read_rows(store_, query, select_extras(extras_, query), wait);
  }
  Batch find_last(const LastQuery& query, const Wait& wait) const override {
    return walk_.find_last(*this, query, wait);
  }
  std::vector<Extra> extras() const override { return extras_; }
  const Summary& outline() const override {
    return has_outline_ && !is_declared_ ? outline_ : summary();
  }
  Promise promise() const override {
    return {is_declared_ ? summary_.message_counts : std::vector<std::uint64_t>(), false};
  }
  /// The metadata inside is right if it was written last; rosbag2 writes an empty one first.
  Growth growth() const override {
    return is_declared_ && summary_.messages > 0 ? Growth::complete : Growth::possible;
  }

 private:
  bool take_outline();
  bool take_declared_counts();
  void count() const;

  std::shared_ptr<const Store> store_;
  std::vector<Extra> extras_;
  mutable BackwardWalk walk_;
  mutable std::mutex mutex_;
  bool has_outline_ = false;
  bool is_declared_ = false;
  Summary outline_;
  mutable bool is_counted_ = false;
  mutable Summary summary_;
};

/// Takes what the ends of table and index give. False: there is no index, or it cannot be trusted.
bool SqliteBag::take_outline() {
  const Content& content = store_->content();
  if (!content.messages || content.time_index == 0 || !store_->options().trust_index) return false;
  try {
    auto first = first_id(*store_);
    auto start = edge_time(*store_, false);
    auto end = edge_time(*store_, true);
    if (!first || !start || !end) return !first && !start;
    auto last = static_cast<std::uint64_t>(content.last_message);
    outline_.messages = last - static_cast<std::uint64_t>(*first) + 1;
    outline_.start = *start;
    outline_.end = *end;
    return true;
  } catch (const Error& error) {
    if (!is_damage(error.code())) throw;
    return false;  // reading the messages will report it
  }
}

/// Uses the embedded metadata if its ends and sums agree: rosbag2 embeds wrong numbers if it has
/// split the bag, and none if it has crashed.
bool SqliteBag::take_declared_counts() {
  const Content& content = store_->content();
  if (!content.metadata) return false;
  const rosbag2::BagMetadata& declared = *content.metadata;
  if (outline_.messages != declared.messages) return false;
  if (outline_.messages == 0) return true;
  if (outline_.start != declared.start || outline_.end != declared.start + declared.duration) {
    return false;
  }
  // kitbag has a row for each channel, and lists them in the same order.
  if (declared.topics.size() != content.topics.size()) return false;
  rosbag2::DeclaredTopics topics(declared.topics);
  for (std::size_t slot = 0; slot < content.topics.size(); ++slot) {
    auto place = topics.take(content.topics[slot].name, content.topics[slot].type);
    if (!place) return false;
    summary_.message_counts[slot] = declared.topics[*place].messages;
    summary_.messages += declared.topics[*place].messages;
  }
  if (summary_.messages != declared.messages) {
    summary_.messages = 0;
    return false;
  }
  summary_.start = outline_.start;
  summary_.end = outline_.end;
  return true;
}

void SqliteBag::count() const {
  summary_.messages = 0;
  std::fill(summary_.message_counts.begin(), summary_.message_counts.end(), 0);
  Query query;
  query.order = Order::file;
  auto source = read_rows(store_, query, {});
  for (Batch batch; source->read(batch, {}); batch.clear()) {
    for (const Message& message : batch.messages()) {
      bool is_first = summary_.messages++ == 0;
      ++summary_.message_counts[message.channel->slot];
      summary_.start = is_first ? message.log_time : std::min(summary_.start, message.log_time);
      summary_.end = is_first ? message.log_time : std::max(summary_.end, message.log_time);
    }
  }
}

}  // namespace

Store::Store(std::shared_ptr<const PageFile> file, ReadOptions options)
    : file_(std::move(file)),
      options_(std::move(options)),
      content_(read_content(file_, options_.on_problem)),
      channels_(make_channels(content_)) {
  bool is_packed = content_.metadata && content_.metadata->compression_mode == "MESSAGE";
  for (std::size_t i = 0; i < content_.topics.size(); ++i) {
    slots_.emplace(content_.topics[i].id, static_cast<std::uint32_t>(i));
    // No CDR message begins as zstd data does, so compressed messages can be recognized.
    may_be_compressed_.push_back(is_packed || (*channels_)[i]->encoding == "cdr");
  }
  if (content_.messages && content_.messages->is_salvaged()) {
    auto loss = loss_of(content_.messages_found, content_.messages_missing);
    if (loss) report(options_.on_problem, *loss);
  }
}

std::optional<std::uint32_t> Store::slot(std::int64_t topic_id) const {
  auto known = slots_.find(topic_id);
  if (known == slots_.end()) return std::nullopt;
  return known->second;
}

std::shared_ptr<const TableTree> Store::salvaged(const Error& damage,
                                                 const OnProblem& on_problem) const {
  std::lock_guard lock(mutex_);
  report(on_problem, damage);
  if (!salvaged_) {
    salvaged_ = salvage(*file_, content_.message_columns);
    loss_ = loss_of(salvaged_->messages_found, salvaged_->messages_missing);
  }
  if (loss_) report(on_problem, *loss_);
  return salvaged_->messages;
}

/// What has been lost where `found` messages were found, and `missing` ids between them were not.
/// Nothing: the bag has been found as a whole. An id that is damaged widens the span of ids, so the
/// time index counts for more.
std::optional<Error> Store::loss_of(std::uint64_t found, std::uint64_t missing) const {
  std::optional<std::uint64_t> all = count_in_index();
  if (all && *all >= found) {
    missing = *all - found;
  } else if (auto declared = declared_count(); declared && !all) {
    all = declared;
    if (*all > found) missing = std::max(missing, *all - found);
  }
  bool is_cut = file_->count() < file_->promised_count();
  bool is_known = all.has_value() || (missing > 0 && !is_cut);
  if (is_known && missing == 0 && !is_cut) return std::nullopt;
  Loss loss;
  if (is_known && missing > 0) loss.messages = missing;
  std::string lost = missing > 0 ? fmt::format("; {} are lost", missing) : "; others may be lost";
  return file_->error(ErrorCode::corrupt, 0,
                      fmt::format("{} messages of the bag were found{}", found, lost), loss);
}

/// The number of messages, as the time index has it.
std::optional<std::uint64_t> Store::count_in_index() const {
  if (content_.time_index == 0) return std::nullopt;
  try {
    return count_entries(*file_, content_.time_index, content_.last_message, {});
  } catch (const Error& error) {
    if (!is_damage(error.code())) throw;
    return std::nullopt;
  }
}

/// The number of messages, as the metadata has it. rosbag2 embeds wrong numbers where it splits a
/// bag.
std::optional<std::uint64_t> Store::declared_count() const {
  const auto& declared = content_.metadata;
  if (!declared || declared->messages == 0 || declared->files.size() > 1) return std::nullopt;
  return declared->messages;
}

std::shared_ptr<const PageFile> open_pages(const Input& input, const OnProblem& on_problem) {
  auto file = std::make_shared<const PageFile>(input.file, input.path, sidecar(input, "-wal"));
  if (auto journal = sidecar(input, "-journal")) {
    std::vector<std::byte> magic(kJournalMagic.size());
    bool is_hot = journal->read(0, magic) == magic.size() && as_text(magic) == kJournalMagic;
    if (is_hot) {
      report(on_problem, Error(ErrorCode::corrupt,
                               "the writer was killed in a transaction, whose -journal file is "
                               "beside the bag; open the bag once with sqlite3 to roll it back",
                               input.path, Error::kNoOffset, Loss{}));
    }
  }
  if (file->count() < file->promised_count()) {
    report(on_problem,
           Error(ErrorCode::truncated,
                 fmt::format("the file is cut off; it has {} of {} pages", file->count(),
                             file->promised_count()),
                 input.path, std::uint64_t{file->count()} * file->page_bytes(), Loss{}));
  }
  return file;
}

void report_unclosed(const Store& store, const OnProblem& on_problem) {
  const Content& content = store.content();
  bool has_messages = content.messages && content.last_message != INT64_MIN;
  bool is_of_start = content.metadata && content.metadata->messages == 0 &&
                     content.metadata->start == rosbag2::kNoStart;
  if (!has_messages || !is_of_start) return;
  report(on_problem, Error(ErrorCode::truncated,
                           "the bag was not closed, or is being recorded; messages that were not "
                           "committed are missing",
                           store.file()->path()));
}

void throw_unless_unclosed(const Error& problem) {
  bool is_unclosed = problem.code() == ErrorCode::truncated && !problem.loss();
  if (!is_unclosed && problem.code() != ErrorCode::remark) throw Error(problem);
}

BagPtr open_bag(const Input& input, const ReadOptions& options) {
  auto store = std::make_shared<const Store>(open_pages(input, options.on_problem), options);
  report_unclosed(*store, options.on_problem);
  if (!options.trust_index) verify(*store, options.on_problem, {});
  return std::make_shared<SqliteBag>(std::move(store));
}

}  // namespace kitbag::sqlite3
