#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kitbag/catalog.h"
#include "kitbag/find.h"
#include "kitbag/moment_cuts.h"

namespace kitbag::cli {

/// What `find` does with the moments that it finds, beside printing them.
struct MomentOptions {
  std::string events;  ///< name of the events that they become; empty: they become none
  std::optional<Duration>
      cut;                   ///< time around them in the bags that are written; nothing: none are
  std::string to;            ///< the folder of these bags
  bool may_replace = false;  ///< other files there
  bool with_key_frames = true;  ///< as in CutOptions
  std::string links;            ///< URL of the player page; empty: no links are printed
};

/// The name by which a server knows a bag: of a folder that it serves, that of the file; elsewhere
/// the address. A server of a catalog has server::catalog_name().
std::string served_name(const std::string& path);
/// The link that shows a time of a bag in the player page; empty if no links are asked for.
std::string link_to(const MomentOptions& options, const std::string& served_name, Time bag_start,
                    Time time);

/// The moments of one bag after the other: printed at once, and kept for events and cuts until the
/// bag has ended.
class FoundMoments {
 public:
  FoundMoments(const MomentOptions& options, bool as_json, const Context& context);

  /// A moment of the bag at `path`; `link` may be empty.
  void take(const std::string& path, const std::string& link, const Moment& moment);
  /// A moment was taken.
  bool has_any() const { return has_any_; }
  /// Makes events of the moments taken since the last call, of a bag with that number.
  void note_events(Catalog& catalog, std::int64_t bag);
  /// There are moments to be cut.
  bool needs_bag() const { return !around_.is_empty(); }
  /// Writes cuts of the moments taken since the last call.
  void cut(const std::string& path, const Bag& bag);
  /// The same, of a bag that cannot be read.
  void fail_to_cut(const Error& error);
  /// Says what was written. Gives the exit code.
  [[nodiscard]] int finish();

 private:
  void print_cut(const std::string& path, const Cut& cut, const Error* error);

  const MomentOptions& options_;
  bool as_json_;
  const Context& context_;
  CutRanges around_;
  std::vector<CatalogEvent> events_;
  bool has_any_ = false;
  std::uint64_t new_events_ = 0;
  std::uint64_t known_events_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t were_there_ = 0;
  std::uint64_t failed_ = 0;
};

}  // namespace kitbag::cli
