#pragma once

#include <deque>
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
/// metadata.yaml tells what is in which file, so that of many files only the first and the last are
/// opened: for the channels' definitions, and to see whether what is told is true. Where it is not,
/// or where nothing is told, all are opened, and what they say counts. While reading, a file is
/// opened when its time comes. Any thread.
class Store {
 public:
  Store(std::string path, ReadOptions options, Session session);

  const std::string& path() const { return path_; }
  const std::vector<Member>& members() const { return members_; }
  const rosbag2::BagMetadata& metadata() const { return metadata_; }
  const Summary& summary() const { return summary_; }
  const ReadOptions& options() const { return options_; }

  /// metadata.yaml is written last; or an empty one first.
  bool is_complete() const { return has_metadata_ && !is_stale_ && summary_.messages > 0; }

  /// Null: its bytes are damaged so that it cannot be opened, which is told, or thrown where
  /// reading is strict. Throws what is no damage: a file that the system does not open is not left
  /// out.
  /// The ones opened last stay open, so that who seeks around does not read their indexes again.
  BagPtr open(std::size_t member) const;
  /// The same, for one reader alone, who may let it go and open it again.
  BagPtr open_alone(std::size_t member, const ReadOptions& options) const;

  /// Whether messages of a file's channel are the directory's: all but repeats, which are so in the
  /// first file alone.
  static bool is_given(std::size_t member, const Channel& channel);
  /// The slot of a channel like `channel`, of a file, in the directory.
  std::optional<std::uint32_t> find_slot(const ChannelPtr& channel) const;
  /// What of a file is the directory's.
  static Member::Declared declared_by(std::size_t member, const Summary& summary);

 private:
  using TopicKey = std::pair<std::string, std::string>;  ///< name and type

  void read_members();
  void check_edges();
  void rebuild();
  void take_embedded(const Bag& bag);
  void join_channels();
  void summarize();
  std::uint32_t slot_of(const ChannelPtr& channel);
  void add_channel(ChannelPtr channel);
  void fill_declared();
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
  std::shared_ptr<Channels> channels_ = std::make_shared<Channels>();
  std::unordered_map<ChannelPtr, std::uint32_t, ChannelContentHash, ChannelContentEqual> slots_;
  std::set<TopicKey> known_topics_;  ///< those of channels_
  Summary summary_;
  mutable std::mutex mutex_;
  mutable std::vector<std::weak_ptr<const Bag>> opened_;
  mutable std::deque<BagPtr> kept_;  ///< of these the last ones, the newest in front
};

/// Is it the metadata record of rosbag2, which a file has of itself?
bool is_rosbag2(const Extra& extra);

std::unique_ptr<Source> read_directory(std::shared_ptr<const Store> store, const Query& query,
                                       std::vector<Extra> extras);

}  // namespace kitbag::directory
