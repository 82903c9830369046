#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/definitions.h"
#include "kitbag/export.h"
#include "kitbag/find.h"
#include "kitbag/session.h"
#include "kitbag/time.h"

// A Catalog knows many bags without opening them: where they are, what is in them, how the numbers
// in their messages went, what their cameras saw. It is a file of SQLite, or a PostgreSQL database
// that many machines share.
//
//   Catalog catalog = Catalog::create("fleet.db", session);
//   catalog.add("runs/drive.mcap");
//   catalog.find({.query = {.longer_than = 60s}, .tags = {{"robot", "r7"}}}, on_bag);
//
// A bag is known by its content (its fingerprint), so it can be moved: a path is where it was seen
// last. A bag whose content has changed is another bag, which inherits tags, note and events. The
// schema of the database is described in docs/catalog.md.

namespace kitbag {

/// A topic of a bag, as a catalog knows it.
struct CatalogTopic {
  std::string topic;           ///< its name
  std::string type;            ///< name of the type; "" without a schema
  std::string encoding;        ///< of the payloads
  std::string schema_hash;     ///< of the definition; "" without one
  std::uint64_t messages = 0;  ///< how many there are
  /// Messages in each of equal parts of the bag, from its start to its end; empty: not known.
  std::vector<std::uint64_t> density = {};
  /// Messages that cannot be decoded, so that no condition holds for them; 0 if none was read.
  std::uint64_t undecoded = 0;
  std::vector<Time> pictures = {};  ///< log times of its small pictures, see Catalog::picture()
};

/// What a recorder said of a topic: messages that are not in the bag.
struct CatalogDrops {
  std::string topic;          ///< its name; the bag may have no such topic
  std::uint64_t dropped = 0;  ///< for lack of room, or because the bag could not hold them
  std::uint64_t lost = 0;     ///< sent, but never received
};

/// The checksum of one file of a bag.
struct CatalogChecksum {
  std::string file;              ///< its name without folders, as it was when it was read
  std::uint64_t size_bytes = 0;  ///< of the file
  std::string sha256;            ///< of the whole content, in 64 hexadecimal digits
};

/// A small picture of a camera.
struct CatalogPicture {
  std::string topic;            ///< of the camera
  Time time{};                  ///< log time of the message
  std::vector<std::byte> jpeg;  ///< a file
};

/// An event that somebody has noted.
struct CatalogEvent {
  std::int64_t number = 0;                           ///< of the event, in the catalog
  Time start{};                                      ///< log time
  Time end{};                                        ///< not before `start`
  std::string name;                                  ///< one line
  std::string description = {};                      ///< what there is to say beyond its name
  std::map<std::string, std::string> metadata = {};  ///< what programs have noted, by name
};

/// A path of a bag, and what was there when the bag was added.
struct CatalogFile {
  std::string path;              ///< as in CatalogBag::paths
  std::uint64_t size_bytes = 0;  ///< of the file, or of all files in the directory
  Time modified{};               ///< the newest of them
};

/// What is at a path of a catalog now.
enum class CatalogFileState {
  same,     ///< the file that was added
  changed,  ///< another file, or one that was written to; its content may be the same
  gone,     ///< nothing
};
/// Looks at the file, and does not open it. Throws Error (io). Any thread.
KITBAG_API CatalogFileState state_of(const CatalogFile& file, const Session& session);
/// Returns what identifies the content of the bag at `path`, as CatalogBag::fingerprint. Opens the
/// bag. Throws Error as that does. Any thread.
KITBAG_API std::string catalog_fingerprint(const std::string& path, const Session& session);

/// A bag, as a catalog knows it.
struct CatalogBag {
  std::int64_t number = 0;                       ///< of the bag, in the catalog
  std::vector<std::string> paths = {};           ///< where it is, sorted; empty: nowhere any more
  std::string fingerprint = {};                  ///< identifies the content
  std::string format = {};                       ///< name of the format
  std::uint64_t size_bytes = 0;                  ///< of all its files
  Time start{};                                  ///< log time of the first message
  Time end{};                                    ///< and of the last; both 0 without messages
  std::uint64_t messages = 0;                    ///< how many there are
  std::string damage = {};                       ///< the worst that was found; "": none was
  std::uint64_t problems = 0;                    ///< how many places of damage were found
  Time added{};                                  ///< when it was added
  std::vector<CatalogTopic> topics = {};         ///< by name
  std::vector<CatalogDrops> drops = {};          ///< by topic; empty: no recorder said so
  std::vector<CatalogChecksum> checksums = {};   ///< of its files in order; empty: not made
  std::map<std::string, std::string> tags = {};  ///< by name
  std::string note = {};                         ///< what somebody has noted
  std::vector<CatalogEvent> events = {};         ///< by time
};

/// What Catalog::add() has done.
enum class CatalogChange {
  added,      ///< the bag is new
  unchanged,  ///< it was there
  updated,    ///< it was there, and what was not known of it was added
  moved,      ///< it was there; at its old path is nothing any more
  copied,     ///< it was there, and still is at its other paths
  replaced,   ///< at its path was another bag
};
/// Returns the change for people: "added".
KITBAG_API const char* to_string(CatalogChange change);

/// How bags are added.
struct CatalogAddOptions {
  ReadOptions read = {};  ///< how they are opened; `on_problem` is called, too
  /// True: messages are decoded once, to know how their numbers go (find_moments()), and to make
  /// small pictures (picture()). False: only the index is read.
  bool reads_messages = true;
  /// True: all bytes of its files are read for their checksums, unless the catalog has them.
  bool makes_checksums = false;
  /// Tags that the bag gets; those that it has stay.
  std::map<std::string, std::string> tags = {};
  std::stop_token stop = {};  ///< ends the adding; nothing is added then
};

/// Which bags Catalog::find() gives.
struct CatalogQuery {
  FindQuery query = {};                          ///< `where` is for find_moments() alone
  std::map<std::string, std::string> tags = {};  ///< the bag must have all of them
  std::string text = {};                ///< part of a path, a note, an event or a tag; "": any bag
  std::vector<std::string> words = {};  ///< the same; the bag must have all of them
  bool is_damaged = false;              ///< only bags with damage
  bool has_drops = false;               ///< only bags of which a recorder dropped or lost messages
  bool is_newest_first = true;          ///< by the start of the bag; false: the oldest first
  /// Only bags that follow one in this order: cursor_of() the last bag of the page before. "": from
  /// the first one. A page far behind takes no longer than the first one, as it does with `skip`.
  std::string after = {};
  std::uint64_t skip = 0;           ///< so many of them are left out at first
  std::uint64_t most = UINT64_MAX;  ///< at most so many are given
  bool has_details = true;          ///< false: CatalogBag without topics, tags, note and events
};

/// Returns the place of a bag in the list, for CatalogQuery::after: a short text without meaning to
/// others, which holds also when bags come and go.
KITBAG_API std::string cursor_of(const CatalogBag& bag);

/// How find_moments() has found them.
struct CatalogSearch {
  std::uint64_t bags = 0;       ///< that the other parts of the query select
  std::uint64_t ruled_out = 0;  ///< that the catalog alone decided
  std::uint64_t opened = 0;     ///< whose messages were read
  /// Of these, bags that have changed since they were added, so that all was read.
  std::uint64_t changed = 0;
  /// Messages of these bags that were known not to be decodable: they meet no condition.
  std::uint64_t undecoded = 0;
  /// Channels whose numbers the catalog does not know, since a message of them cannot be decoded or
  /// only the index of their bag was read: for their sake a bag was opened and read whole.
  std::uint64_t unknown_channels = 0;
  std::uint64_t unknown_bags = 0;  ///< that have these channels
  /// Bags that could not be read, with the reason: moments in them are missing.
  std::vector<Error> failed = {};
};

/// How Catalog::check() looks at bags.
struct CatalogCheckOptions {
  /// True: all bytes of bags with checksums are read and compared. False: one look at each file.
  bool reads_contents = false;
  std::stop_token stop = {};  ///< ends the check
};

/// What Catalog::check() has looked at.
struct CatalogChecked {
  std::uint64_t paths = 0;       ///< how many there are
  std::uint64_t unverified = 0;  ///< of these, whose content has no checksum to compare with
};

/// A bag of a catalog that was opened.
struct CatalogOpened {
  BagPtr bag;                ///< never null
  std::string path;          ///< where it was found
  bool has_changed = false;  ///< its file is not as it was when it was added
};

/// A range of log times.
struct CatalogTimes {
  Time begin = Time::min();  ///< the first one
  Time end = Time::max();    ///< exclusive
};

/// What Catalog::check() has found of a bag.
struct CatalogProblem {
  std::int64_t number = 0;  ///< of the bag
  std::string path;         ///< where it should be
  std::string what;         ///< what is wrong, as in "is not there any more"
  bool is_missing = false;  ///< nothing is there
  bool is_damaged = false;  ///< bytes differ although the file looks unchanged
};

/// A catalog of bags. A handle that is cheap to move. One thread at a time; several programs and
/// machines may use the same catalog at once. Every call throws Error as Database::run() does.
class KITBAG_API Catalog {
 public:
  /// Makes a new catalog at `address`: a path, or postgresql://... (kitbag/database.h). A catalog
  /// that is already there stays as it is. Throws Error.
  static Catalog create(const std::string& address, const Session& session, const Wait& wait = {});
  /// Opens the catalog at `address`, and brings one of an older kitbag up to date. Throws Error:
  /// not_found if there is none, unsupported if it is of a newer kitbag.
  Catalog(const std::string& address, const Session& session, const Wait& wait = {});
  ~Catalog();
  /// Takes over what the other one has, which must not be used any more.
  Catalog(Catalog&&) noexcept;
  Catalog& operator=(Catalog&&) noexcept;

  /// Says where message definitions are searched that bags lack, when they are added or opened from
  /// now on. Without this call, nowhere: messages of such bags cannot be decoded.
  void set_definitions(DefinitionPaths paths);

  /// Adds the bag at `path`. If nothing has changed there since the last time, it is not opened,
  /// unless an older kitbag has added it, or it was added without its messages or checksums and
  /// they are wanted now. Throws Error as opening a bag does.
  CatalogChange add(const std::string& path, const CatalogAddOptions& options = {});
  /// Adds all bags in `folder` and in the folders below it, and calls `on_bag` with what was done
  /// of each, or with what kept it from being added. Bags that are not there any more stay in the
  /// catalog (see check()), since they may have been moved to where they are found next. Throws
  /// Error (io, cancelled).
  void scan(const std::string& folder, const CatalogAddOptions& options,
            const std::function<void(const std::string& path, const CatalogChange* change,
                                     const Error* error)>& on_bag);
  /// Forgets a path; the bag, too, if that was its only one. Files are not touched. Returns whether
  /// the path was known.
  bool remove(const std::string& path);
  /// Calls `on_bag` for each bag that `query` selects. `on_bag` may use the catalog. Throws Error
  /// (invalid) for a cursor or a glob that is none.
  void find(const CatalogQuery& query, const std::function<void(const CatalogBag& bag)>& on_bag);
  /// Returns how many bags find() would give without `after`, `skip` and `most`. Does not count
  /// further than `most`, which is faster: that many means "at least".
  std::uint64_t count(const CatalogQuery& query, std::uint64_t most = UINT64_MAX);
  /// Returns the topics of all bags, each with its types, sorted.
  std::vector<std::pair<std::string, std::string>> topics();
  /// Returns the bag at `path`; nothing if the path is not known.
  std::optional<CatalogBag> bag_at(const std::string& path);
  /// Returns the last small picture of `topic` at or before `time` in the bag with this number, or
  /// else the first one after it; nothing if there is none. A topic "": the first by name that has
  /// pictures. A bag has few: at most 8 of a camera, 160 pixels wide or high.
  std::optional<CatalogPicture> picture(std::int64_t bag, const std::string& topic,
                                        Time time = Time::min());
  /// Returns the bag whose fingerprint begins with `begin`, hexadecimal digits, as find() does
  /// without details; nothing: none or several do.
  std::optional<CatalogBag> bag_with(const std::string& begin);
  /// Returns where the bag with this number is, by path.
  std::vector<CatalogFile> files_of(std::int64_t number);
  /// Asks the database for nothing, to see whether it answers.
  void ping();

  /// Calls `on_moment` for each moment that meets `query.query.where`, as kitbag::find_moments()
  /// gives them for each bag. Bags that the catalog can rule out are not opened. The first path of
  /// the CatalogBag is the one where it was read; topics, tags and events are left out. A bag that
  /// cannot be read is noted in the result, and the others follow. Throws Error: invalid for a
  /// condition that is not valid, not_found for fields that no bag has, cancelled.
  CatalogSearch find_moments(
      const CatalogQuery& query, const ReadOptions& read,
      const std::function<void(const CatalogBag& bag, const Moment& moment)>& on_moment,
      const std::stop_token& stop = {});

  /// Returns between which log times a bag that find() gave may have messages that meet
  /// `query.where`, in the topics of `query.select`, by what the catalog knows. Nothing: it has
  /// none. A bag that has changed since it was added may have them at any time. Throws Error
  /// (invalid) for a condition that is not valid.
  std::optional<CatalogTimes> possible_times(const CatalogBag& bag, const FindQuery& query);
  /// Opens a bag that find() gave, at a path where it is as it was, if there is one. Throws Error:
  /// not_found if it is nowhere, and as Session::open() does.
  CatalogOpened open(const CatalogBag& bag, const ReadOptions& read);
  /// Returns the message definition with this hash (CatalogTopic::schema_hash), under the name of
  /// `type`. Null: the catalog does not have it, as of bags that an older kitbag has added.
  SchemaPtr definition(const std::string& schema_hash, const std::string& type);

  /// Gives the bag at `path` a tag, in place of one with the same name; an empty value removes it.
  /// Throws Error (not_found) if the path is not known. So do the next two.
  void set_tag(const std::string& path, const std::string& name, const std::string& value);
  void set_note(const std::string& path, const std::string& note);     ///< "": none
  void add_event(const std::string& path, const CatalogEvent& event);  ///< its number is new
  /// Gives the bag with that number those of `events` that it does not have yet, with the same
  /// times and name. Returns how many these are.
  std::uint64_t add_events(std::int64_t bag, const std::vector<CatalogEvent>& events);
  /// Removes an event. Returns whether there was one with that number.
  bool remove_event(std::int64_t number);
  /// Returns the events of the bag with this number, by time.
  std::vector<CatalogEvent> events_of(std::int64_t number);
  /// Stores what `change` makes of the events of a bag, in their place; nothing changes if it
  /// returns nothing. Other writers wait meanwhile. An event that has the number of a stored one
  /// stays as it is stored. Throws Error (not_found) if there is no bag with that number, and what
  /// `change` throws.
  void change_events(std::int64_t number,
                     const std::function<std::optional<std::vector<CatalogEvent>>(
                         const std::vector<CatalogEvent>& stored)>& change);

  /// Calls `on_problem` for each path at which the bag of the catalog is not any more, or not as it
  /// was. Nothing is changed.
  CatalogChecked check(const std::function<void(const CatalogProblem& problem)>& on_problem,
                       const CatalogCheckOptions& options = {});

 private:
  class KITBAG_PRIVATE Impl;
  explicit Catalog(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kitbag
