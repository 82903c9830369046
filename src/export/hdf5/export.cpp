#include "export/hdf5/export.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "export/hdf5/column.h"
#include "kitbag/error.h"
#include "kitbag/system_error.h"

// All tables are in one file, which is there from the first table on. Errors of the library know
// neither the file nor the place in it, so the name is added here.
//
//     /odom                the group of a topic; attributes say its name, type and definition
//     /odom/time           a dataset or a group for each column
//     /odom/pose/...

namespace kitbag::hdf5 {
namespace {

constexpr const char* kFile = "export.h5";

[[noreturn]] void throw_system(const std::string& path) {
  int number = errno;
  throw SystemError(Error(ErrorCode::io, std::generic_category().message(number), path), number);
}

/// The caller of the library syncs what it publishes.
void sync(const std::string& path) {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw_system(path);
  int result = ::fsync(file);
  int number = errno;
  ::close(file);
  errno = number;
  if (result != 0) throw_system(path);
}

/// The file that all tables are in.
class Target {
 public:
  explicit Target(const ExportJob& job) : job_(job) {
    for (const ChannelPtr& channel : *job.source.channels()) {
      if (channel) groups_.announce(channel->topic);
    }
  }
  ~Target() {
    Lock lock;
    groups_by_path_.clear();
    file_ = Id();
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  /// Calls `work` under the lock. Errors of the library get the name of the file.
  template <class Work>
  auto locked(Work work) {
    Lock lock;
    try {
      return work();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::io) throw;
      throw_as(Error(error.code(), error.message(), path_), error);
    }
  }

  /// Returns the group of a topic. Under the lock.
  hid_t group_of(const std::string& topic) {
    if (file_.get() < 0) create();
    hid_t group = file_.get();
    std::string path;
    for (const std::string& name : groups_.groups_of(topic)) {
      path += "/" + name;
      Id& known = groups_by_path_[path];
      if (known.get() < 0) {
        known = Id(H5Gcreate2(group, name.c_str(), utf8_links().get(), H5P_DEFAULT, H5P_DEFAULT),
                   H5Gclose);
      }
      group = known.get();
    }
    return group;
  }
  Names& names_in(const std::string& topic) { return groups_.names_in(topic); }

  /// Returns what was written, of `tables`.
  std::vector<Exported> finish(const std::vector<Exported>& tables) {
    if (path_.empty()) return {};
    locked([&] {
      groups_by_path_.clear();
      file_.close();
    });
    sync(path_);
    Exported all{.topic = {}, .path = job_.folder.path_of(kFile)};
    for (const Exported& each : tables) all.messages += each.messages;
    std::error_code error;
    all.size_bytes = std::filesystem::file_size(path_, error);
    if (error) throw SystemError(Error(ErrorCode::io, error.message(), path_), error.value());
    return {all};
  }

 private:
  void create() {
    path_ = job_.folder.place(kFile);
    Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    // What readers of HDF5 1.8 know, MATLAB's among them.
    check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_V18));
    // Closing the file closes what is open in it. Else it would stay open behind a group that is.
    check(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG));
    file_ = Id(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
    set_attribute(file_.get(), "creator", "kitbag");
  }

  const ExportJob& job_;
  TopicGroups groups_;
  std::string path_;
  Id file_;
  std::map<std::string, Id> groups_by_path_;
};

class Table final : public TableExport {
 public:
  Table(const std::string& topic, const ArrowSchema& schema, Target& target, const ExportJob& job)
      : topic_(topic), target_(target), job_(job) {
    target_.locked([&] {
      group_ = target_.group_of(topic);
      columns_ = make_fields(schema, {group_, &target_.names_in(topic), {}});
    });
  }
  /// Columns close their datasets, for which the lock is needed.
  ~Table() override {
    Lock lock;
    columns_.clear();
  }

  void write(const ArrowArray& rows) override {
    target_.locked([&] {
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        throw_if_stopped(job_.wait);
        columns_[i]->append(*rows.children[i], rows.offset, rows.length, {});
      }
    });
  }
  std::uint64_t held_bytes() const override {
    std::uint64_t all = 0;
    for (const auto& column : columns_) all += column->held_bytes();
    return all;
  }
  void flush() override {
    target_.locked([&] {
      for (auto& column : columns_) column->flush();
    });
  }

  Exported finish(const Channels& channels) override {
    flush();
    std::uint64_t replaced = 0;
    for (const auto& column : columns_) replaced += column->replaced_texts();
    if (replaced > 0 && job_.request.columns.on_warning) {
      job_.request.columns.on_warning(
          Error(ErrorCode::remark,
                fmt::format("{}: {} texts have NUL characters, which HDF5 cannot hold; they became "
                            "U+FFFD",
                            topic_, replaced)));
    }
    target_.locked([&] {
      set_attribute(group_, "topic", topic_);
      describe(channels);
      columns_.clear();
    });
    return {};
  }

 private:
  /// Of several channels, those that differ in type, encoding or definition are numbered.
  void describe(const Channels& channels) {
    std::vector<const Channel*> told;
    for (const ChannelPtr& channel : channels) {
      if (!channel || channel->topic != topic_) continue;
      bool is_new = std::none_of(told.begin(), told.end(), [&](const Channel* other) {
        return other->encoding == channel->encoding && has_same_schema(*other, *channel);
      });
      if (!is_new) continue;
      told.push_back(channel.get());
      std::string number = told.size() == 1 ? "" : fmt::format("_{}", told.size());
      set_attribute(group_, ("type" + number).c_str(), channel->type());
      set_attribute(group_, ("encoding" + number).c_str(), channel->encoding);
      if (!channel->schema) continue;
      set_attribute(group_, ("definition" + number).c_str(), channel->schema->text);
      set_attribute(group_, ("definition_language" + number).c_str(), channel->schema->language);
    }
  }
  static bool has_same_schema(const Channel& a, const Channel& b) {
    return a.schema == b.schema || (a.schema && b.schema && *a.schema == *b.schema);
  }

  std::string topic_;
  Target& target_;
  const ExportJob& job_;
  hid_t group_ = -1;
  std::vector<std::unique_ptr<Column>> columns_;
};

}  // namespace

std::vector<Exported> export_hdf5(ExportJob& job) {
  Target target(job);
  auto tables =
      export_tables(job, [&](const ExportPart& part, const Channels&, const ArrowSchema& schema) {
        return std::make_unique<Table>(part.topic, schema, target, job);
      });
  return target.finish(tables);
}

}  // namespace kitbag::hdf5
