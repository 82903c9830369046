#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/file.h"
#include "kitbag/messages.h"
#include "kitbag/selector.h"
#include "kitbag/stream.h"

// A Bag is a stored log that is open for reading; a Writer is a bag that is being written. Both
// come from a Session:
//
//   auto bag = session.open("drive.bag");
//   for (const Message& message : bag->messages({.topics = {"/tf"}})) use(message);
//
//   auto writer = session.create("copy.mcap", {.compression = "zstd"});
//   run(*bag->read(), *writer, *session.clock());
//   writer->close();
//
// A Query selects messages and their order. Opening a bag reads its index, not its messages; a bag
// without an index is scanned once. Every read() returns an independent cursor, so any number of
// threads can read one Bag. A cursor needs memory for the chunks that it has open, not for the bag.
// A Writer holds the chunk that it fills.

namespace kitbag {

/// The order of the messages of a query.
enum class Order {
  time,          ///< by time; messages with equal times in the order of the file
  reverse_time,  ///< the exact reverse of `time`
  file,          ///< in the order of the file
};

/// The time of a message that a query refers to.
enum class TimeField { log_time, publish_time };

/// Selects messages and their order.
struct Query {
  Selection select = {};  ///< which channels
  /// Selects messages with begin <= time < end. If `end` is Time::max(), there is no upper limit.
  Time begin = Time::min();
  Time end = Time::max();              ///< exclusive
  Order order = Order::time;           ///< of the messages
  TimeField by = TimeField::log_time;  ///< the time that `begin`, `end` and `order` refer to
  /// Skips the first `nth` of the selected messages, in `order`, and returns at most `count` of the
  /// others. If the format has an index, skipped messages are not read.
  std::uint64_t nth = 0;
  std::uint64_t count = UINT64_MAX;  ///< at most this many messages
  /// True: the source first gives the last message before `begin` of each latched channel, flagged
  /// kState. These messages are not subject to `nth` and `count`. Only with Order::time.
  bool latched_before = false;
  /// Called with the damage that this reader finds. Empty: ReadOptions::on_problem of the bag is
  /// called instead.
  OnProblem on_problem = {};

  /// Returns whether `begin` and `end` select this time.
  bool covers(Time time) const { return is_within(time, begin, end); }
  /// Returns whether `begin` and `end` select all times.
  bool covers_all_times() const { return begin == Time::min() && end == Time::max(); }
};

/// The arguments of Bag::find_last(): selects channels and a time.
struct LastQuery {
  std::vector<std::uint8_t> slots = {};  ///< by slot of Summary::channels; 1 selects the channel
  Time time{};                           ///< only messages before this time count
  TimeField by = TimeField::log_time;    ///< the time that `time` refers to
  OnProblem on_problem = {};             ///< as Query::on_problem
};

/// What is known about a bag without reading its messages.
struct Summary {
  std::string format;            ///< "rosbag"
  std::string version;           ///< "2.0"
  std::uint64_t size_bytes = 0;  ///< size of the file, or of all files together
  /// False: the bag has no index, because its writer crashed or is still writing, or because its
  /// version has none. It was scanned when it was opened.
  bool indexed = true;
  /// False: this version of the format has no place for message definitions, so that it is no
  /// damage if there are none.
  bool holds_definitions = true;
  /// True: the bag comes from a pipe and can be read only once. Its channels, counts and times are
  /// known only after reading (counted_summary()).
  bool is_stream = false;
  /// How certain the format and version are, in percent; low for versions without a magic number.
  int certainty = 100;
  std::string encryption;          ///< the method: "rosbag/AesCbcEncryptor"; empty: not encrypted
  std::string gpg_user;            ///< the user who can decrypt it; empty: not known
  std::string member_format = {};  ///< the format of the files in a directory
  std::uint64_t files = 1;         ///< number of files that make up the bag
  /// Compression of the file as a whole: "gz", "bz2" or "zstd"; empty: none.
  std::string whole_file_compression = {};
  /// Compression of each single message: "zstd"; empty: none.
  std::string message_compression = {};
  std::string library = {};  ///< what wrote the bag, as it says: "libmcap 1.4"; empty: not known
  std::string profile = {};  ///< rules that its channels follow: "ros2" (MCAP); empty: none
  std::uint64_t chunks = 0;  ///< number of chunks, in formats that have them
  ChannelsPtr channels;      ///< by slot; those of the bag's sources have the same slots
  std::vector<std::uint64_t> message_counts;  ///< by slot
  std::uint64_t messages = 0;                 ///< number of all messages
  /// Earliest and latest log time; both are zero if there are no messages.
  Time start{};
  Time end{};  ///< the latest
};

/// One chunk, as described by its header and index.
struct ChunkSummary {
  std::uint64_t offset = 0;        ///< offset of its record in the file, in bytes
  std::uint64_t stored_bytes = 0;  ///< compressed
  std::uint64_t bytes = 0;         ///< uncompressed
  std::string compression;         ///< "none", "lz4", "bz2"
  std::uint64_t messages = 0;      ///< number of its messages
  Time start{};                    ///< the earliest log time
  Time end{};                      ///< the latest log time
};

/// The number of messages that a bag claims to hold. kitbag compares it with what a read delivers.
struct Promise {
  std::vector<std::uint64_t> message_counts;  ///< by slot; empty: the bag has no counts
  /// True: the numbers come from an index that lists the messages, so a different number means
  /// damage. False: a writer noted the numbers, and they may be wrong.
  bool is_index = true;
};

/// Whether a bag may have changed since it was opened.
enum class Growth {
  complete,   ///< no: its writer has completed it
  unchanged,  ///< not yet, but it may change
  possible,   ///< it may have more messages by now
};

/// A stored log that is open for reading. Immutable: any number of threads can share it, each with
/// its own Sources.
class KITBAG_API Bag {
 public:
  virtual ~Bag() = default;
  /// Returns what is known without reading messages, as far as the format has it: messages of a bag
  /// that has no counts are counted by the first call. Valid as long as the bag.
  virtual const Summary& summary() const = 0;
  /// Returns what opening the bag has found, and counts nothing: the summary of a bag that has
  /// counts. Of another one `message_counts` is empty, and `messages`, `start` and `end` are what
  /// its index gives. Valid as long as the bag.
  virtual const Summary& outline() const { return summary(); }
  /// Returns the channels of the bag, by slot. Nothing is read for them.
  const ChannelsPtr& channels() const { return outline().channels; }
  /// Returns a new cursor over the messages that `query` selects. To seek, call read() again. The
  /// source keeps alive what it needs of the bag. Throws Error: invalid if an expression does not
  /// compile, or if `latched_before` is set with an order other than Order::time; cancelled if
  /// `wait.stop` is requested before the first message was located.
  std::unique_ptr<Source> read(const Query& query = {}, const Wait& wait = {}) const;
  /// Returns the same messages as read(), but one at a time:
  ///
  ///   for (const Message& message : bag->messages({.topics = {"/imu"}})) use(message);
  Messages messages() const;
  /// The same, as a query selects them; Query::by and the order are those of the query.
  Messages messages(const Query& query) const;
  /// The same, of the channels that `select` selects.
  Messages messages(const Selection& select) const;
  /// Returns the last message before `time`, by log time, of each channel that `select` selects: at
  /// most one per channel, ordered by log time. A player uses this to show the state at `time`:
  /// latched topics, the last image. Throws Error (cancelled) if `wait.stop` is requested
  /// meanwhile.
  Batch last_before(Time time, const Selection& select = {}, const Wait& wait = {}) const;
  /// Returns attachments, metadata and private records, in file order. The sources of a query give
  /// those that it covers: attachments by their log time, all others always. Those of a directory
  /// give what is in the files that they read.
  virtual std::vector<Extra> extras() const { return {}; }
  /// Returns all chunks in file order. Reads the header of each chunk. Empty for formats without
  /// chunks.
  virtual std::vector<ChunkSummary> chunks() const { return {}; }
  /// Returns about `most` chunks, evenly spaced, or all chunks if there are no more than that.
  virtual std::vector<ChunkSummary> some_chunks(std::size_t /*most*/) const { return chunks(); }
  /// Returns the expected number of messages. Each read of the whole bag is compared with it, and a
  /// difference is reported. Must be cheap.
  virtual Promise promise() const { return {summary().message_counts, true}; }
  /// Returns whether the bag may have grown and should be opened again. A format that cannot tell
  /// whether a bag is complete returns `possible`.
  virtual Growth growth() const { return Growth::complete; }

  /// Implemented by formats and called by read(), which handles Query::latched_before: it is always
  /// false here.
  virtual std::unique_ptr<Source> read_messages(const Query& query, const Wait& wait) const = 0;
  /// Called by last_before(). The default reads backwards until it has found a message of every
  /// channel; a format with a better way overrides it. The batch has the channels of the summary,
  /// in their slots, and its messages are ordered by time. It keeps no more memory alive than they
  /// need.
  virtual Batch find_last(const LastQuery& query, const Wait& wait) const;
};
using BagPtr = std::shared_ptr<const Bag>;  ///< never null where it is returned

/// Returns a bag with the messages of `bag` as stages pass them on: each source has a stage of its
/// own, which `make_stage` returns. Queries select from what `bag` holds, and counts and times of
/// the summary are those of `bag`; its channels are the ones that a stage returns. Any thread may
/// call `make_stage`.
KITBAG_API BagPtr through(BagPtr bag, std::function<std::unique_ptr<Stage>()> make_stage);

/// The times and the sequence number of a message.
struct Stamp {
  Time log_time{};             ///< when it was received
  Time publish_time{};         ///< equal to log_time if only one time is known
  std::uint32_t sequence = 0;  ///< as the publisher counts
};

/// A bag that is being written. close() completes it, syncs it to the disk and makes it appear
/// under its name. Without close() the target is unchanged. (A target with WriteOptions::is_visible
/// appears at once.) Messages can be passed in batches (Sink::write()) or one at a time (append(),
/// or reserve() and commit()), also in turn. One thread at a time; throws Error, as described at
/// Sink.
class Writer : public Sink {
 public:
  /// Returns the size in bytes that the bag would have if it were closed now, without the index. It
  /// grows with every message.
  virtual std::uint64_t size_bytes() const = 0;

  /// Appends a message. Its payload is the concatenation of `pieces`, which may be released or
  /// reused when the call returns.
  ///
  /// A channel is identified by its address; its slot is ignored.
  virtual void append(const ChannelPtr& channel, const Stamp& stamp,
                      std::span<const ByteView> pieces) = 0;
  /// Returns uninitialized space for a payload of at most `size` bytes, inside the open chunk if
  /// the format has chunks. The space is valid until the next call. If that call is not commit(),
  /// the message is discarded.
  virtual std::span<std::byte> reserve(const ChannelPtr& channel, const Stamp& stamp,
                                       std::size_t size) = 0;
  /// Appends the reserved message with the first `size` bytes as its payload. Throws Error
  /// (invalid) if nothing is reserved, or fewer than `size` bytes.
  virtual void commit(std::size_t size) = 0;
};

/// How a bag is opened and read.
struct ReadOptions {
  /// Called for each damage; reading then continues with what is intact. Empty: strict reading, the
  /// first damage is thrown as an Error.
  OnProblem on_problem;
  /// False: the bag is read completely when it is opened, and its index is compared with what it
  /// holds. repair() does this.
  bool trust_index = true;
  /// False: checksums in the bag are not verified.
  bool check_crc = true;
  /// Name of the format to open as, even if its first bytes are damaged; empty: these decide.
  std::string format = {};
  /// The user whose secret key decrypts an encrypted bag, among the keys of the system's gpg; "*":
  /// any key. Empty: encrypted bags are refused. Ignored for unencrypted bags.
  std::string gpg_key = {};
  /// Number of threads that load and decompress chunks ahead of the reader; 0: the number of
  /// processors. 1: no read-ahead.
  unsigned threads = 0;
  /// True: files outside the directory that metadata.yaml names ("../other.db3", "/data/x.db3") are
  /// opened. False: such a bag is refused, unless the directory itself holds a file of that name.
  bool allow_outside = false;
  /// The most memory in bytes that one message, chunk or record may take. A larger one is left out
  /// and reported as Error (limit). 0: 4 GiB for data that is stored as it is, and 64 MiB for data
  /// that decompresses to more than 16 times its stored size.
  std::uint64_t max_memory_bytes = 0;
  /// Ends the opening with Error (cancelled), also the scan of a bag without an index. A directory
  /// heeds it later, too, whenever it opens one of its files; reading has a Wait.
  std::stop_token stop = {};
};

/// When a writer syncs its data to the disk, so that it survives a power failure. close() always
/// syncs.
struct SyncPolicy {
  /// When data is synced.
  enum class When {
    at_close,
    interval,               ///< about this often, if there is new data
    chunk,                  ///< whenever a chunk is closed or a transaction committed
  } when = When::at_close;  ///< see When
  Duration interval = std::chrono::seconds(1);  ///< for When::interval
};

/// Topics with their own chunks, of their own size.
struct TopicChunks {
  std::string topics;           ///< a name, or a glob as in Selection
  std::size_t chunk_bytes = 0;  ///< as in WriteOptions::chunk_bytes
};

/// How a bag is written.
struct WriteOptions {
  /// Name of the format; empty: selected by the extension. For a directory: the format of its
  /// files.
  std::string format = {};
  /// The name of one of Format::versions; empty: the newest.
  std::string format_version = {};
  /// Called for what is not an error: create() and append() report files that a crashed writer has
  /// left and that they remove, and a file system without locks; close() reports what the format
  /// cannot hold and how much of it was left out, before the target appears. The bag is written
  /// without it, unless this function throws.
  OnWarning on_warning = {};
  /// One of Format::compressions.
  std::string compression = "none";
  /// A chunk is closed when its uncompressed size reaches this. Messages are never split.
  std::size_t chunk_bytes = 768 * 1024;
  /// A topic that matches one of these has its own chunks, of the size that the first match gives.
  /// So readers of a small topic need not read large ones. Ignored by formats without chunks.
  std::vector<TopicChunks> topic_chunks = {};
  /// A chunk or transaction is closed and passed to the system when it has been open for this long;
  /// this requires calls of Sink::tick(), as run() makes them. A chunk is also closed when the log
  /// times of its messages span more than this. Zero: no limit.
  Duration chunk_duration{};
  /// When the data is synced to the disk.
  SyncPolicy sync = {};
  /// False: messages are stored outside of chunks, if the format allows it.
  bool is_chunked = true;
  /// False: no checksums are written, if the format allows it.
  bool has_crc = true;
  /// One of Format::presets, a named group of settings; empty: the defaults of the format.
  std::string preset = {};
  /// Format of the files in a directory; empty: MCAP.
  std::string member_format = {};
  /// Version of rosbag2's metadata, in a directory and embedded in its files. From version 9 on,
  /// QoS profiles have names instead of numbers. 0: the version of `ros_distro`, or else 5, which
  /// all supported releases read.
  int metadata_version = 0;
  /// The release of ROS 2 that must be able to read the bag, such as "humble". It selects the
  /// format_version of SQLite bags, metadata_version and the form of QoS profiles that this release
  /// writes itself, unless they are set. Empty: those that all supported releases read.
  std::string ros_distro = {};
  /// Number of threads that compress; 0: the number of processors.
  unsigned threads = 0;
  /// Through the page cache or past it.
  Io io = Io::automatic;
  /// True: the file has its own name from the start. That name must not exist yet. What has reached
  /// the file stays there if the program dies or gives up. Recorders should set this.
  bool is_visible = false;
  /// False: an existing file is not replaced. create() throws Error (exists) before it does any
  /// work, and so does close() if another program has created the file meanwhile. This does not
  /// apply to devices and pipes, which are always written to, nor to directories, which are never
  /// replaced.
  bool may_replace = true;
  /// The user whose public key, from the system's gpg, encrypts the bag; "*": the first one whose
  /// secret key gpg also has. Empty: not encrypted.
  std::string gpg_key = {};
};

}  // namespace kitbag
