#pragma once

// The command lines of other tools, as data: which option of ours does what theirs does. A line
// that was written for one of them runs as it is behind the name of the tool: `kitbag rosbag play
// -r 2 x.bag`. docs/coming-from.md has the same tables for people.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kitbag::cli {

/// An option of another tool.
struct PeerOption {
  enum class Takes {
    nothing,
    one,    ///< value
    many,   ///< values, up to the next option
    maybe,  ///< a number, or nothing
  };

  std::string_view names;  ///< "-r,--rate"
  Takes takes = Takes::nothing;
  /// Our words, with {} for the value: "--start=+{}s". A word with {} comes once for each value.
  /// Empty: there is nothing to say, as kitbag does it anyway or PeerVerb::complete decides.
  std::string_view ours = {};
  /// Our way instead, as an error. Empty: the option is taken.
  std::string_view refusal = {};
};

inline constexpr auto kOne = PeerOption::Takes::one;
inline constexpr auto kMany = PeerOption::Takes::many;
inline constexpr auto kMaybe = PeerOption::Takes::maybe;

/// A command line of another tool, parsed.
struct PeerCommand {
  struct Given {
    const PeerOption* option;
    std::vector<std::string> values;
  };

  std::string name;                    ///< "rosbag play", for errors
  std::vector<std::string> arguments;  ///< that belong to no option
  std::vector<Given> options;          ///< in their order
  std::vector<std::string> words;      ///< of ours, which follow those of the options
  /// What follows these in each of several command lines of ours; empty: there is one.
  std::vector<std::vector<std::string>> lines;

  /// Whether the option, such as "--split", is there.
  bool has(std::string_view name) const;
  /// The option's values, of all its occurrences; empty if it is not there.
  std::vector<std::string> values(std::string_view name) const;
  /// The option's last value, or `otherwise`.
  std::string value(std::string_view name, const std::string& otherwise = {}) const;
  /// Throws Error (invalid).
  [[noreturn]] void refuse(std::string_view text) const;
};

/// A verb of another tool.
struct PeerVerb {
  std::string_view name;
  std::string_view ours;  ///< our verb, and words for all its command lines
  std::span<const PeerOption> options;
  /// What depends on several options: changes the arguments and adds words.
  void (*complete)(PeerCommand& command) = nullptr;
};

/// Another tool.
struct Peer {
  std::string_view name;    ///< our name for it: `kitbag NAME VERB ...`
  std::string_view called;  ///< how its users call it
  std::span<const PeerVerb> verbs;
};

const Peer& rosbag_peer();
const Peer& ros2_bag_peer();
const Peer& mcap_peer();
const Peer& rostopic_peer();
const Peer& ros2_topic_peer();

/// The tool behind `name`, or null.
const Peer* peer_named(std::string_view name);

/// Our command lines for one of the tool, `words` without the tool's own name; one, unless it asks
/// for several outputs. `words` begin with a verb. Throws Error: invalid for what the tool does not
/// have or kitbag does in another way; not_found, io and corrupt for files that `words` name.
std::vector<std::vector<std::string>> translated(const Peer& peer,
                                                 const std::vector<std::string>& words);

/// The words as a shell takes them, with quotes where it needs them.
std::string shell_line(const std::vector<std::string>& words);

/// `kitbag rosbag --print VERB ...` prints our command line instead of running it.
inline constexpr char kPrintOption[] = "--print";

/// The options of one verb and ours for each, for `kitbag rosbag play --help`.
std::string peer_help(const Peer& peer, const PeerVerb& verb);

/// Whether the help of one verb is asked for; null otherwise.
const PeerVerb* helped_verb(const Peer& peer, const std::vector<std::string>& words);

// What the tables share.

/// Adds the words of `pattern`, which has the form of PeerOption::ours, to `words`.
void add_words(std::string_view pattern, const std::vector<std::string>& values,
               std::vector<std::string>& words);
/// "; similar: --rate", or nothing if no name is near.
std::string nearest_hint(std::string_view word, const std::vector<std::string>& names);

/// "/chatter" for "chatter", as nodes in the root namespace name topics.
std::string absolute_topic(const std::string& name);
/// "12.000000345" for "12000000345", the value of `name`.
std::string seconds_of_ns(const std::string& ns, std::string_view name, const PeerCommand& command);
/// The time of this place, now, by strftime().
std::string local_time(const char* format);

}  // namespace kitbag::cli
