#include "storage/directory/format.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "base/path.h"
#include "kitbag/error.h"
#include "kitbag/session.h"
#include "model/extras.h"
#include "storage/directory/change_metadata.h"
#include "storage/directory/last_messages.h"
#include "storage/directory/remove_part.h"
#include "storage/directory/store.h"
#include "storage/directory/writer.h"
#include "storage/rosbag2/embedded.h"

// A directory of rosbag2 is a bag made of bags: metadata.yaml, and members that each have a format
// of their own. Here is what can be done with one as a format; Store opens it (store.cpp) and
// DirectoryWriter writes it (writer.cpp).
//
// A folder without metadata.yaml may be one, too, since a recorder that was killed may have left
// none. It gets half of the certainty, and Store judges it by its files.
//
// metadata.yaml and the files contradict each other in one harmless case: while a file is being
// written. check() asks the locks which of the files that have grown are held, and lets those be.

namespace kitbag {

namespace directory {
namespace {

class DirectoryBag final : public Bag {
 public:
  explicit DirectoryBag(std::shared_ptr<const Store> store)
      : store_(std::move(store)), last_messages_(store_) {}

  const Summary& summary() const override { return store_->summary(); }
  std::unique_ptr<Source> read_messages(const Query& query, const Wait& /*wait*/) const override {
    return read_directory(store_, query, own_extra());
  }
  Batch find_last(const LastQuery& query, const Wait& wait) const override {
    return last_messages_.find(query, wait);
  }
  std::vector<Extra> extras() const override {
    std::vector<Extra> all = own_extra();
    for (std::size_t i = 0; i < store_->members().size(); ++i) {
      BagPtr bag = store_->open(i);
      if (!bag) continue;
      for (Extra& extra : bag->extras()) {
        // A member's copy of the metadata is of that file alone; own_extra() has that of the bag.
        if (!rosbag2::is_embedded(extra)) all.push_back(std::move(extra));
      }
    }
    return all;
  }
  std::vector<ChunkSummary> chunks() const override { return some_chunks(SIZE_MAX); }
  std::vector<ChunkSummary> some_chunks(std::size_t most) const override {
    std::vector<ChunkSummary> all;
    for (std::size_t i = 0; i < store_->members().size(); ++i) {
      BagPtr bag = store_->open(i);
      if (!bag) continue;
      auto chunks = bag->some_chunks(most / store_->members().size());
      all.insert(all.end(), chunks.begin(), chunks.end());
    }
    return all;
  }
  Promise promise() const override { return {summary().message_counts, false}; }
  Growth growth() const override {
    return store_->is_complete() ? Growth::complete : Growth::possible;
  }

 private:
  /// In the form of rosbag2's MCAP files; none if it says no more than the messages.
  std::vector<Extra> own_extra() const {
    const auto& metadata = store_->metadata();
    if (metadata.custom_data.empty() && metadata.ros_distro.empty()) return {};
    std::string text = rosbag2::print_metadata(metadata, metadata.version, true);
    return {rosbag2::embedded_record(std::move(text))};
  }

  std::shared_ptr<const Store> store_;
  mutable LastMessages last_messages_;
};

int matches(const Input& input) {
  if (input.file) return 0;
  bool has_metadata = input.files && input.files->status(join(input.path, kMetadataName));
  return has_metadata ? 100 : 50;
}

BagPtr open(const Input& input, const ReadOptions& options, const Session& session) {
  return std::make_shared<DirectoryBag>(
      std::make_shared<const Store>(input.path, options, session));
}

std::vector<std::string> parts(const Input& input, const Session& session) {
  ReadOptions lenient;
  lenient.on_problem = [](const Error&) {};
  Store store(input.path, lenient, session);
  std::vector<std::string> paths;
  for (const Member& member : store.members()) paths.push_back(member.path);
  return paths;
}

/// metadata.yaml, and each file by its own format. A file that is being written has no end yet, and
/// that is no damage.
void check(const Input& input, const ReadOptions& options, const Session& session) {
  std::vector<Error> found;
  ReadOptions collecting = options;
  collecting.on_problem = [&](const Error& problem) { found.push_back(problem); };
  Store store(input.path, collecting, session);
  std::set<std::string> grown;
  std::set<std::string> held;
  for (std::size_t i = 0; i < store.members().size(); ++i) {
    const std::string& path = store.members()[i].path;
    if (!store.has_grown(i)) continue;
    grown.insert(path);
    if (is_held(*input.files, path)) held.insert(path);
  }
  // What is wrong with a file that nobody writes is found again below.
  for (const Error& problem : found) {
    if (!grown.contains(problem.file())) report(options.on_problem, problem);
  }
  for (std::size_t i = 0; i < store.members().size(); ++i) {
    const Member& member = store.members()[i];
    try {
      Input file = session.input_at(member.path);
      if (file.file && file.file->size() == 0) continue;  // its recorder died before the first byte
      if (held.contains(member.path)) {
        report(options.on_problem,
               Error(ErrorCode::remark, "is being written; it is checked when it is complete",
                     member.path));
        continue;
      }
      const Format* format = match_format(session.registry(), file);
      if (!format) {
        throw Error(ErrorCode::unsupported, "unrecognized format", member.path);
      }
      check_by(*format, file, options, session);
      if (auto wrong = store.wrong_entry(i)) report(options.on_problem, *wrong);
    } catch (const Error& error) {  // and the other files are looked at too
      if (!is_damage(error.code())) throw;
      report(options.on_problem, Error(error.code(), error.message(), error.file(), error.offset(),
                                       error.loss().value_or(Loss{})));
    }
  }
}

/// What metadata.yaml should say; nothing: it does.
std::optional<rosbag2::BagMetadata> rebuilt_metadata(const Input& input, const ReadOptions& options,
                                                     const Session& session) {
  bool is_wrong = false;
  ReadOptions noticing = options;
  noticing.on_problem = [&](const Error& problem) {
    is_wrong = true;
    report(options.on_problem, problem);
  };
  Store store = Store::without_held(input.path, noticing, session);
  if (!is_wrong) return std::nullopt;
  bool has_metadata = input.files->status(join(input.path, kMetadataName)).has_value();
  if (!has_metadata && !are_of_one_bag(store.members())) {
    throw Error(
        ErrorCode::invalid,
        fmt::format("has no {0}, and its files are not called as those of one bag, so no {0} "
                    "was written for them; repair the files one by one",
                    kMetadataName),
        input.path);
  }
  return store.metadata();
}

/// Writes metadata.yaml again if it is missing or wrong. Others may write to it meanwhile: the
/// files, which take long to open, are looked into before, and again if it has changed.
bool rebuild_index(const Input& input, const ReadOptions& options, const Session& session) {
  constexpr int kTries = 20;  // files of other writers end now and then
  for (int i = 0;; ++i) {
    auto status_before = input.files->status(join(input.path, kMetadataName));
    auto rebuilt = rebuilt_metadata(input, options, session);
    if (!rebuilt) return false;
    bool is_current = false;
    change_metadata(
        input.path,
        [&](const std::optional<rosbag2::BagMetadata>&) {
          is_current = input.files->status(join(input.path, kMetadataName)) == status_before;
          return is_current ? rebuilt : std::nullopt;
        },
        session);
    if (is_current) return true;
    if (i == kTries) {
      throw Error(ErrorCode::busy, "other programs go on changing metadata.yaml; try again",
                  input.path);
    }
  }
}

std::unique_ptr<Writer> create(const std::string& path, const WriteOptions& options,
                               const Session& session) {
  return DirectoryWriter::create(path, options, session);
}

std::unique_ptr<Writer> append(const std::string& path, const WriteOptions& options,
                               const Session& session) {
  return DirectoryWriter::append(path, options, session);
}

}  // namespace
}  // namespace directory

Format directory_format() {
  Format format;
  format.name = "directory";
  format.extension = "/";
  format.description = "directory of rosbag2, with metadata.yaml of versions 1 to 9";
  format.matches = directory::matches;
  format.open = directory::open;
  format.check = directory::check;
  format.create = directory::create;
  format.append = directory::append;
  format.parts = directory::parts;
  format.rebuild_index = directory::rebuild_index;
  format.remove_part = directory::remove_part;
  format.compressions = {"none", "lz4", "zstd", "bz2", "zstd_file"};
  format.is_container = true;
  return format;
}

}  // namespace kitbag
