#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/registry.h"
#include "storage/directory/files.h"
#include "stream/channel_table.h"

namespace kitbag::directory {

/// The files of a directory as one bag.
///
/// metadata.yaml says what each file contains, so of many files only the first and the last are
/// opened: for the definitions of the channels, and to check whether metadata.yaml is right. If it
/// is wrong or missing, all files are opened, and their content counts. While reading, a file is
/// opened when its time comes. Any thread.
class Store {
 public:
  /// What is still being written counts as far as it has come.
  Store(std::string path, ReadOptions options, Session session);
  /// For metadata.yaml to be written while others write: files that a writer holds (is_held()) are
  /// not looked into, and count as empty, since their writers add them.
  static Store without_held(std::string path, ReadOptions options, Session session);

  const std::string& path() const { return path_; }
  const std::vector<Member>& members() const { return members_; }
  const rosbag2::BagMetadata& metadata() const { return metadata_; }
  const Summary& summary() const { return summary_; }
  const ReadOptions& options() const { return options_; }

  /// metadata.yaml is written last, or an empty one first.
  bool is_complete() const {
    return has_metadata_ && !is_stale_ && grown_.empty() && summary_.messages > 0;
  }
  /// metadata.yaml has not the messages of this file: it is being written, or its writer has died.
  bool has_grown(std::size_t member) const { return grown_.contains(member); }

  /// What metadata.yaml says wrongly of a file; nothing: it is right, or says nothing.
  std::optional<Error> wrong_entry(std::size_t member) const;

  /// Null: the file is too damaged to be opened; this is reported, or thrown if reading is strict.
  /// Other errors are thrown: a file that the system cannot open is not left out.
  ///
  /// The files opened last stay open, so that a reader that seeks does not read their indexes
  /// again.
  BagPtr open(std::size_t member) const;
  /// The same for one reader alone, which may close the file and open it again.
  BagPtr open_alone(std::size_t member, const ReadOptions& options) const;

  /// Whether messages of a file's channel belong to the directory: all do, except repeats in other
  /// files than the first of a writer.
  bool is_given(std::size_t member, const Channel& channel) const;
  /// The slot in the directory of `channel`, which is one of a file.
  std::optional<std::uint32_t> find_slot(const ChannelPtr& channel) const;
  /// The part of a file's summary that belongs to the directory.
  Member::Declared declared_by(std::size_t member, const Summary& summary) const;
  /// The same of `bag`, which is that file, as far as it is known without reading its messages.
  Member::Declared found_in(std::size_t member, const Bag& bag) const;
  /// Reports what is missing of a file that has lost its end.
  void tell_cut(std::size_t member, const Bag& bag, const ReadOptions& options) const;

 private:
  using TopicKey = std::pair<std::string, std::string>;  ///< name and type

  static TopicKey key_of(const rosbag2::BagMetadata::Topic& topic);
  static ChannelPtr channel_of(const rosbag2::BagMetadata::Topic& topic, std::uint32_t slot);

  Store(std::string path, ReadOptions options, Session session, bool leaves_held);

  void read_members();
  void find_held();
  void report_state();
  void add_grown(std::size_t member);
  void add_channels_of(std::size_t member, const Bag& bag);
  std::size_t missing_channels() const;
  void count_channels();
  void check_edges();
  void rebuild();
  void take_embedded(const Bag& bag);
  void join_channels();
  void summarize();
  std::uint32_t slot_of(const ChannelPtr& channel);
  void add_channel(ChannelPtr channel);
  void fill_declared();
  BagPtr open_growing(std::size_t member) const;
  void keep(BagPtr bag) const;

  std::string path_;
  ReadOptions options_;
  Session session_;
  FileSystemPtr files_;
  rosbag2::BagMetadata metadata_;
  bool has_metadata_ = false;
  bool is_stale_ = false;
  std::size_t unlisted_ = 0;  ///< of the members, the last ones
  std::vector<Member> members_;
  std::set<std::size_t> held_;           ///< members that are not looked into
  std::map<std::size_t, BagPtr> grown_;  ///< as they were found, so that all see the same
  std::shared_ptr<Channels> channels_ = std::make_shared<Channels>();
  std::unordered_map<ChannelPtr, std::uint32_t, ChannelContentHash, ChannelContentEqual> slots_;
  std::set<TopicKey> known_topics_;  ///< those of channels_
  Summary summary_;
  mutable std::mutex mutex_;
  mutable std::vector<std::weak_ptr<const Bag>> opened_;
  mutable std::deque<BagPtr> kept_;  ///< of these the last ones, the newest in front
};

std::unique_ptr<Source> read_directory(std::shared_ptr<const Store> store, const Query& query,
                                       std::vector<Extra> extras);

}  // namespace kitbag::directory
