#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/file.h"
#include "kitbag/messages.h"
#include "kitbag/stream.h"

namespace kitbag {

/// Which channels. Names and globs (`*` and `?` match `/` too, `[...]` is a set) or regular
/// expressions (RE2 syntax, which must match the whole topic). Empty lists select everything.
struct Selection {
  std::vector<std::string> topics = {};
  std::vector<std::string> topic_expressions = {};
  std::vector<std::string> exclude = {};
  std::vector<std::string> exclude_expressions = {};
  std::vector<std::string> types = {};  ///< names and globs of schemas

  bool operator==(const Selection&) const = default;
};

enum class Order {
  time,          ///< by time, ties by position in the bag
  reverse_time,  ///< the exact reverse of `time`
  file,          ///< as stored
};

enum class TimeField { log_time, publish_time };

/// Which messages, and in what order.
struct Query {
  Selection select = {};
  /// Messages with begin <= time < end. Time::max() as `end` takes them all.
  Time begin = Time::min();
  Time end = Time::max();
  Order order = Order::time;
  TimeField by = TimeField::log_time;
  /// Of the messages selected, in `order`: skip `nth`, then give `count`. Skipping costs no
  /// reading of what is skipped where the format has an index.
  std::uint64_t nth = 0;
  std::uint64_t count = UINT64_MAX;
  /// First the last message before `begin` of each latched channel, marked kState; neither skipped
  /// nor counted. Only in Order::time.
  bool latched_before = false;
  /// Gets the damage that this reader meets. Empty: ReadOptions::on_problem of the bag does.
  OnProblem on_problem = {};
};

/// Whose last messages before a time are asked for: Bag::find_last().
struct LastQuery {
  std::vector<std::uint8_t> slots = {};  ///< by slot of Summary::channels; 1: this channel
  Time time{};                           ///< excluded
  TimeField by = TimeField::log_time;
  OnProblem on_problem = {};  ///< as Query::on_problem
};

/// What is known of a bag without reading its messages.
struct Summary {
  std::string format;   ///< "rosbag"
  std::string version;  ///< "2.0"
  std::uint64_t size_bytes = 0;
  bool indexed =
      true;  ///< false: crashed, still being written, or a version without index: scanned
  /// It comes through a pipe: read once, and its channels, counts and times show in reading only.
  bool is_stream = false;
  int certainty = 100;     ///< in percent, that this is the format and version; low without a magic
  std::string encryption;  ///< by what: "rosbag/AesCbcEncryptor"; empty: not encrypted
  std::string gpg_user;    ///< for whom it is encrypted; empty where the bag does not tell
  std::string member_format = {};  ///< of the files in a directory
  std::uint64_t files = 1;         ///< that it consists of
  /// By what the file is compressed as a whole, "gz", "bz2" or "zstd"; empty: it is not.
  std::string whole_file_compression = {};
  /// By what each message is compressed by itself, "zstd"; empty: they are not.
  std::string message_compression = {};
  std::uint64_t chunks = 0;
  ChannelsPtr channels;
  std::vector<std::uint64_t> message_counts;  ///< by slot
  std::uint64_t messages = 0;
  /// Earliest and latest log time; both zero where there are no messages.
  Time start{};
  Time end{};
};

/// One chunk, as its header and index tell it.
struct ChunkSummary {
  std::uint64_t offset = 0;        ///< of its record in the file
  std::uint64_t stored_bytes = 0;  ///< compressed
  std::uint64_t bytes = 0;         ///< uncompressed
  std::string compression;         ///< "none", "lz4", "bz2"
  std::uint64_t messages = 0;
  Time start{};
  Time end{};
};

/// How many messages a bag says that it holds.
struct Promise {
  std::vector<std::uint64_t> message_counts;  ///< by slot; empty: it does not say
  /// True: the numbers come from what lists the messages, so a reader that finds others has met
  /// damage. False: they are numbers that a writer noted, and may have noted wrong.
  bool is_index = true;
};

/// What may have become of a bag since it was opened.
enum class Growth {
  complete,   ///< nothing: who wrote it has completed it
  unchanged,  ///< nothing yet
  possible,   ///< there may be more by now
};

/// A stored log, opened for reading. Immutable: many threads may share it, each with its own
/// Sources.
class KITBAG_API Bag {
 public:
  virtual ~Bag() = default;
  virtual const Summary& summary() const = 0;
  /// A new cursor; seeking is another call. The source keeps what it needs of the bag alive.
  /// Throws Error: invalid for an expression that does not compile, and for latched_before in
  /// another order than Order::time; cancelled if `wait.stop` is requested before the beginning
  /// was found.
  std::unique_ptr<Source> read(const Query& query = {}, const Wait& wait = {}) const;
  /// The same one by one: `for (const Message& message : bag->messages({.topics = {"/imu"}}))`.
  Messages messages() const;
  Messages messages(const Query& query) const;
  Messages messages(const Selection& select) const;
  /// The last message before `time`, by log time, of each channel that `select` has, in the order
  /// of their times; at most one a channel. What a player shows at `time`: the state of latched
  /// topics, the last picture. Throws Error (cancelled) if `wait.stop` is requested meanwhile.
  Batch last_before(Time time, const Selection& select = {}, const Wait& wait = {}) const;
  /// What it holds beside messages, in file order. The sources of a query give those that lie in
  /// its time: attachments by their log time, the others always.
  virtual std::vector<Extra> extras() const { return {}; }
  /// In file order; reads each chunk's header. Empty for formats without chunks.
  virtual std::vector<ChunkSummary> chunks() const { return {}; }
  /// The same of about `most` chunks, evenly spread; of all where there are no more.
  virtual std::vector<ChunkSummary> some_chunks(std::size_t /*most*/) const { return chunks(); }
  /// What a read of the whole bag is compared with; the difference is reported. Must be cheap.
  virtual Promise promise() const { return {summary().message_counts, true}; }
  /// Whether to open it anew. Formats that do not tell whether a bag is complete say `possible`.
  virtual Growth growth() const { return Growth::complete; }

  /// What a format implements, and read() calls: Query::latched_before is taken care of, and false.
  virtual std::unique_ptr<Source> read_messages(const Query& query, const Wait& wait) const = 0;
  /// What last_before() calls. A format that can do better than to read backwards until all are
  /// found implements it. The batch has the channels of the summary, in their slots, and messages
  /// in the order of their times; it keeps no more memory alive than they need.
  virtual Batch find_last(const LastQuery& query, const Wait& wait) const;
};
using BagPtr = std::shared_ptr<const Bag>;

/// When a message came, and its number.
struct Stamp {
  Time log_time{};
  Time publish_time{};  ///< equals log_time where only one is known
  std::uint32_t sequence = 0;
};

/// A bag being written. close() makes it appear under its name, whole and synced; without close()
/// the target stays as it was. Takes batches (Sink::write()) and messages one by one, as they come.
class Writer : public Sink {
 public:
  /// Size of the bag if it were closed now, index not counted; grows with every message.
  virtual std::uint64_t size_bytes() const = 0;

  /// Takes a message whose payload is `pieces`, one behind the other; they may go when it returns.
  /// With an `owner` those of kLendBytes or more must stay as they are for as long as it lives: the
  /// writer may keep it until they are written, and write them from where they lie, which formats
  /// with chunks do where the file is written directly and nothing is compressed. The channel's
  /// slot does not count; a channel is known by its address.
  virtual void append(const ChannelPtr& channel, const Stamp& stamp,
                      std::span<const ByteView> pieces, const Owner& owner = {}) = 0;
  /// Room for the payload of a message of at most `size` bytes, where the bag is made:
  /// uninitialized and valid until the next call. Without commit() as that call there is no such
  /// message.
  virtual std::span<std::byte> reserve(const ChannelPtr& channel, const Stamp& stamp,
                                       std::size_t size) = 0;
  /// Takes the message that was reserved; its payload is the first `size` bytes. Throws Error
  /// (invalid) if nothing was, or not so much.
  virtual void commit(std::size_t size) = 0;
};

struct ReadOptions {
  /// Gets every damage found, and reading goes on with what is whole. Empty: strict, the first
  /// damage is thrown.
  OnProblem on_problem;
  /// False: what the bag says of itself is held against all that it holds, which reads it whole
  /// when it is opened; what repair wants.
  bool trust_index = true;
  /// False: checksums that the bag has are not verified.
  bool check_crc = true;
  /// Name of the format that the bag is to be taken for; empty: what its content tells.
  std::string format = {};
  /// Whose secret key, among those that the system's gpg has, opens a bag that is encrypted; "*":
  /// any. Empty: such bags are refused. Bags that are not encrypted do not mind.
  std::string gpg_key = {};
  /// Threads that load and decompress chunks ahead of who reads; 0: as many as the machine has. 1:
  /// nothing is done ahead.
  unsigned threads = 0;
  /// Files that metadata.yaml of a directory names outside of it ("../other.db3", "/data/x.db3")
  /// are opened. False: such a bag is refused, unless the file of that name lies in the directory.
  bool allow_outside = false;
  /// The most memory that one message, chunk or record may take. What is larger is left out, and
  /// reported as Error (limit). 0: 4 GiB for what lies in the file as it is, and 64 MiB for what is
  /// unpacked to more than 16 times its size.
  std::uint64_t max_memory_bytes = 0;
};

/// When what a writer was given is brought to the disk itself, so that it outlives the machine's
/// power. close() brings all of it there.
struct SyncPolicy {
  enum class When {
    at_close,
    interval,  ///< about this often, while there is something to bring
    chunk,     ///< each chunk when it is closed, each transaction
  } when = When::at_close;
  Duration interval = std::chrono::seconds(1);
};

/// Topics whose chunks have another size than others'.
struct TopicChunks {
  std::string topics;  ///< a name, or a glob as in Selection
  std::size_t chunk_bytes = 0;
};

struct WriteOptions {
  /// Name of the format; empty: the one that the extension names. Of a directory, that of its
  /// files.
  std::string format = {};
  /// One of Format::versions; empty: the newest.
  std::string format_version = {};
  /// Called by close() where the target could not hold all that it was given, with what it has left
  /// out and how much of it; what the channels are left with is written, unless this throws.
  OnProblem on_warning = {};
  std::string compression = "none";
  /// A chunk is closed when its uncompressed bytes reach this. Messages are never cut.
  std::size_t chunk_bytes = 768 * 1024;
  /// Each topic that one of these names has chunks of its own, of the first one's size; so a small
  /// topic is read without touching the large ones. Where the format has chunks.
  std::vector<TopicChunks> topic_chunks = {};
  /// A chunk or transaction is closed, and handed to the system, when it has been open for so long
  /// (where somebody calls Sink::tick(), as run() does), and a chunk when its messages' log times
  /// span more. Zero: neither.
  Duration chunk_duration{};
  SyncPolicy sync = {};
  /// False: messages are not put into chunks, where the format leaves the choice.
  bool is_chunked = true;
  /// False: no checksums, where the format leaves the choice.
  bool has_crc = true;
  /// One of Format::presets: settings that the format knows by a name. Empty: its own.
  std::string preset = {};
  /// Format of the files in a directory; empty: MCAP.
  std::string member_format = {};
  /// Version of the metadata of rosbag2, in a directory and embedded in its files, and from 9 on
  /// QoS profiles with names instead of numbers; 0: 5, which all living releases read, or that of
  /// ros_distro.
  int metadata_version = 0;
  /// The release of ROS 2 that is to read the bag, such as "humble": format_version of SQLite,
  /// metadata_version and the form of QoS profiles are those that it writes itself, unless they
  /// are given. Empty: those that all living releases read.
  std::string ros_distro = {};
  /// Threads that compress; 0: as many as the machine has.
  unsigned threads = 0;
  /// How the file is written.
  Io io = Io::automatic;
  /// True: written under its own name from the start, which must not exist; what has reached the
  /// file stays when the program dies or gives up. What a recorder wants.
  bool is_visible = false;
  /// False: what is at the target already is not replaced. create() throws Error (exists) before
  /// it does any work, and close() where another program has taken the name meanwhile. What is no
  /// regular file (a device, a pipe) is written to in any case, and a directory never replaced.
  bool may_replace = true;
  /// For whom the bag is encrypted: the user of a public key that the system's gpg has; "*": of the
  /// first whose secret key it has too. Empty: it is not encrypted.
  std::string gpg_key = {};
};

}  // namespace kitbag
