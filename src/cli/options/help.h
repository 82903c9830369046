#pragma once

/// The words of `kitbag --help` and of every verb's help; command_line.cpp adds the options.
namespace kitbag::cli::help {

inline constexpr char kProgram[] =
    "kitbag records, plays, reads, writes, cuts, compares and repairs robot message logs (bags).";

inline constexpr char kProgramFooter[] =
    R"(Each verb tells more: kitbag VERB --help

Exit codes: 0 done; 1 damage in a bag has cost messages or may have, or the thing asked about is not
so; 2 could not do it.

KITBAG_PLUGIN_PATH names folders with plugins, which are loaded at every start; --plugin FILE loads
one more. A plugin there that cannot be loaded is told in a warning and left aside.

Examples:
  kitbag record --from 'demo://?seconds=5' -o run.bag
  kitbag info run.bag                                what is in it
  kitbag play run.bag --to zmq+tcp://127.0.0.1:7913
  kitbag cut run.bag short.bag --start +10s --duration 5s
  kitbag filter run.bag scans.bag --topics '/scan*' /tf
  kitbag merge front.bag rear.bag both.bag
  kitbag compress run.bag small.bag)";

inline constexpr char kTimes[] =
    R"(Times: 1700000000.25 (seconds since 1970) and 2026-11-20T14:30:00Z are absolute; +5s counts
from the start of the bags, -5s back from their end. Durations: 500ms, 5s, 2m, 1.5h.
Of a bag that comes through a pipe, -, the start is the log time of its first message.

)";

inline constexpr char kRecord[] = "Record a live system to files.";
inline constexpr char kRecordFooter[] =
    R"(Files have .active behind their names until they are whole. SIGINT, SIGTERM and SIGHUP end
the recording and complete them; one more, a second later, gives the files up as they are. The
recording goes on when nobody reads its output any more. Keys, at a terminal: space pauses and
goes on, s writes a snapshot, q ends.

Examples:
  kitbag record                                  all topics, to 2026-11-20_14-30-00.mcap
  kitbag record --from ros2://7 --encoding json -o run.mcap
  kitbag record /odom '/camera/*' -o run.bag
  kitbag record --from 'demo://?seconds=3&seed=7' -o a.mcap
  kitbag record --split-duration 10m --max-total-size 50GB --min-free-space 5GB
  kitbag record --snapshot 30s --control /tmp/recorder)";

inline constexpr char kPlay[] = "Play bags into a live system, as they happened.";
inline constexpr char kPlayFooter[] =
    R"(Before --start the last message of each latched channel is sent, such as a map.
Keys, at a terminal: space pauses and goes on, s sends one message, up and down change the rate,
left and right go 5 s back and ahead, q ends.

Examples:
  kitbag play run.bag
  kitbag play run.mcap --start +10s --rate 0.5 --topics /odom '/camera/*'
  kitbag play a.mcap --to zmq+tcp://127.0.0.1:7913 --rename /odom:=/old/odom
  kitbag play front.bag rear.bag --loop --control /tmp/player)";

inline constexpr char kPipe[] = "Send what one live system says to another.";
inline constexpr char kPipeFooter[] = R"(Examples:
  kitbag pipe demo:// zmq+tcp://127.0.0.1:7913
  kitbag pipe ros1:// ros2://
  kitbag pipe 'zmq+tcp://127.0.0.1:7913?bind=1' zmq+tcp://10.0.0.2:7913 --topics /odom)";

inline constexpr char kControl[] = "Tell a record or play that runs what to do.";
inline constexpr char kControlFooter[] =
    R"(Commands of record:
  pause, resume, snapshot, stop
  status                         as one line of JSON

Commands of play:
  pause, resume, stop, status
  rate 0.5                       times as fast as it happened
  seek +10s                      from the start; -5s from the end; or a time
  next, burst 10                 while it is paused: the next message, the next ten

Examples:
  kitbag control /tmp/recorder snapshot
  kitbag control /tmp/recorder status)";

inline constexpr char kInfo[] = "Tell what is in bags: times, sizes, compression, topics.";
inline constexpr char kInfoFooter[] = R"(Examples:
  kitbag info run.bag
  kitbag info run.bag --verbose     how regularly messages come, too
  kitbag info *.bag --json     an array with one object a bag; for one bag just the object)";

inline constexpr char kCat[] = "Print messages; several bags are merged into one stream.";
inline constexpr char kCatFooter[] = R"(Formats:
  json    one object a line, the message decoded in "data"
  yaml    one document a message
  csv     one line a message, a column for each field; of one type
  raw     the payload bytes, one message behind the other
  digest  one line a topic: topic, type, count and the SHA-256 of (log time, payload) of all its
          messages, tabs between; always in time order, so that equal content gives equal lines

Strings that are not UTF-8 are printed with U+FFFD for each byte that is not, with one warning a
topic.
A text in csv that begins with = + - or @ is a formula to a spreadsheet; --escape-formulas puts a '
before it.

Examples:
  kitbag cat run.bag --topics /odom --count 3
  kitbag cat run.bag --fields pose.pose.position.x,header.stamp --format csv
  kitbag cat run.bag --where 'level >= 8 && name == "/planner"'
  kitbag cat front.bag rear.bag --start +5s --end +6s
  kitbag cat run.bag --format digest)";

inline constexpr char kEcho[] = "Print the messages of a bag that is being written, as they come.";
inline constexpr char kEchoFooter[] =
    R"(It goes on until the bag is complete, where its format tells, or --count, or Ctrl-C.

Examples:
  kitbag echo run.mcap --topics /odom --fields pose.pose.position
  kitbag echo run.mcap --start -5s --where 'level >= 8' --format yaml)";

inline constexpr char kNth[] =
    "Print one message of a topic by random access, reading none before it.";
inline constexpr char kNthFooter[] = R"(Examples:
  kitbag nth run.bag /odom 0                   the first
  kitbag nth run.bag /odom -1                  the last
  kitbag nth run.bag /map 4 --format raw > map.bin)";

inline constexpr char kList[] =
    "List what a bag holds: topics, schemas, chunks, attachments or metadata.";
inline constexpr char kListFooter[] = R"(Examples:
  kitbag list run.mcap attachments
  kitbag list run.bag chunks --json)";

inline constexpr char kTypes[] = "Tell the types of a bag's messages, or the definition of one.";
inline constexpr char kTypesFooter[] = R"(Examples:
  kitbag types run.bag                                   their names, and who has them
  kitbag types run.bag sensor_msgs/Image
  kitbag types run.bag sensor_msgs/Image --language ros2msg)";

inline constexpr char kDu[] = "Tell how much room the messages of each topic take.";
inline constexpr char kDuFooter[] = R"(Sizes are of payloads, before compression.

Examples:
  kitbag du run.bag
  kitbag du run.bag --start +10s --duration 5s --json)";

inline constexpr char kGet[] = "Get an attachment out of a bag, or metadata as JSON.";
inline constexpr char kGetFooter[] = R"(Examples:
  kitbag get run.mcap attachment calibration.yaml > calibration.yaml
  kitbag get run.mcap attachment photo.png --output photo.png
  kitbag get run.mcap metadata operator)";

inline constexpr char kAdd[] = "Add an attachment or metadata to a bag.";
inline constexpr char kAddFooter[] = R"(The bag stays as it was until all is written.

Examples:
  kitbag add run.mcap attachment calibration.yaml --media-type application/yaml
  kitbag add run.mcap metadata operator name=Jane shift=2)";

inline constexpr char kDiff[] = "Tell whether two bags hold the same messages.";
inline constexpr char kDiffFooter[] =
    R"(Compared are topic, type, log time and payload of each message.
Exit code 0: the same; 1: not the same, and the first differences are printed.

Examples:
  kitbag diff run.bag copy.bag
  kitbag diff monday.bag tuesday.bag --ignore-time --topics /cmd_vel)";

inline constexpr char kCheck[] =
    "Verify bags whole: structure, index against content, time order, definitions.";
inline constexpr char kCheckFooter[] =
    R"(Exit code 0: sound; 1: not, and each finding is a line with its file and byte or topic.

Examples:
  kitbag check run.bag
  kitbag check *.bag && echo all sound)";

inline constexpr char kRepair[] =
    "Save what is whole in a damaged, cut-off or unindexed bag, and tell what is lost.";
inline constexpr char kRepairAlias[] = "The same as repair.";
inline constexpr char kRepairFooter[] =
    R"(Exit code 0: nothing is lost; 1: something is or may be, and each place is listed; 2:
there is nothing to save, or OUT cannot be written. IN stays as it is; with --in-place until the
repaired bag is whole and on the disk. OUT is of the newest version of the format of IN.

Examples:
  kitbag repair crashed.bag saved.bag
  kitbag repair crashed.bag --in-place
  kitbag repair crashed.bag saved.bag --json > report.json)";

inline constexpr char kConvert[] =
    "Write bags anew: select, cut, merge, split, rename, compress in one pass.";
inline constexpr char kConvertFooter[] =
    R"(OUT appears whole when all is done, or not at all. An existing OUT is replaced only
with --force. The verbs filter, cut, merge, split, compress, decompress, sort, encrypt and
decrypt are convert with another default, or insist on an option that they are about.

Definitions that IN lacks are looked for in --definitions, in the environment's
KITBAG_DEFINITIONS, ROS_PACKAGE_PATH and AMENT_PREFIX_PATH, and in /usr/share; OUT gets those with
the right MD5 sum.

Examples:
  kitbag convert run.bag out.bag --exclude /camera/raw --compression lz4
  kitbag convert a.bag b.bag both.bag --rename /scan:=/laser
  kitbag convert extra.bag run.bag --append            adds the messages of extra.bag to run.bag
  kitbag convert old.bag new.bag --definitions msgs    finds types in msgs/PACKAGE/msg/TYPE.msg
  kitbag convert run.bag part.bag --split-size 1GB     writes part_0.bag, part_1.bag, ...)";

inline constexpr char kFilter[] =
    "Keep some messages: convert that insists on an option telling which.";
inline constexpr char kFilterFooter[] = R"(Examples:
  kitbag filter run.bag scans.bag --topics '/scan*' /tf
  kitbag filter run.bag light.bag --exclude '/camera/*'
  kitbag filter run.bag images.bag --types 'sensor_msgs/*Image')";

inline constexpr char kCut[] =
    "Keep a range of time: convert that insists on --start, --end or --duration.";
inline constexpr char kCutFooter[] = R"(Examples:
  kitbag cut run.bag middle.bag --start +10s --end -10s
  kitbag cut run.bag last.bag --start -5s
  kitbag cut run.bag crash.bag --start 2026-11-20T14:30:00Z --duration 30s)";

inline constexpr char kMerge[] =
    "Merge several bags by time into one: convert as it is, with several IN.";
inline constexpr char kMergeFooter[] = R"(Examples:
  kitbag merge front.bag rear.bag both.bag
  kitbag merge part_*.bag whole.bag --compression lz4)";

inline constexpr char kSplit[] =
    "Split a bag into several: convert that insists on a --split option.";
inline constexpr char kSplitFooter[] =
    R"(OUT names the files: part.bag gives part_0.bag, part_1.bag, ...

Examples:
  kitbag split run.bag part.bag --split-size 1GB
  kitbag split run.bag part.bag --split-duration 10m
  kitbag split run.bag part.bag --split-messages 100000)";

inline constexpr char kCompress[] = "Compress a bag: convert with --compression lz4.";
inline constexpr char kCompressFooter[] = R"(Examples:
  kitbag compress run.bag small.bag
  kitbag compress run.bag smaller.bag --compression bz2)";

inline constexpr char kDecompress[] = "Decompress a bag: convert with --compression none.";
inline constexpr char kDecompressFooter[] = R"(Examples:
  kitbag decompress small.bag run.bag)";

inline constexpr char kSort[] =
    "Store messages in the order of their time: convert with --order time.";
inline constexpr char kSortFooter[] = R"(Examples:
  kitbag sort run.bag sorted.bag
  kitbag sort run.bag sorted.bag --by publish_time)";

inline constexpr char kEncrypt[] =
    "Encrypt a bag for the owner of a GnuPG key: convert to an encrypted OUT.";
inline constexpr char kEncryptFooter[] =
    R"(Messages, topics and types become secret; times, counts and sizes do not. Real rosbag
reads OUT too. gpg's agent asks for a passphrase, or ROSBAG_GPG_PASSPHRASE holds it.

Examples:
  kitbag encrypt run.bag secret.bag --gpg-key jane@example.com
  kitbag encrypt run.bag secret.bag --gpg-key '*' --compression lz4
  kitbag encrypt secret.bag part.bag --gpg-key jane@example.com --start +10s)";

inline constexpr char kDecrypt[] =
    "Decrypt a bag: convert that reads IN with a secret key of GnuPG.";
inline constexpr char kDecryptFooter[] = R"(Examples:
  kitbag decrypt secret.bag run.bag
  kitbag decrypt secret.bag run.bag --gpg-key jane@example.com)";

}  // namespace kitbag::cli::help
