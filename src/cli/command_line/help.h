#pragma once

/// The texts of `kitbag --help` and of every verb's help; command_line.cpp adds the options.
namespace kitbag::cli::help {

inline constexpr char kProgram[] =
    "kitbag records, plays, reads, writes, cuts, compares and repairs robot message logs (bags).";

inline constexpr char kProgramFooter[] =
    R"(Run kitbag VERB --help for the options of a verb.

Exit codes: 0 success; 1 damage in a bag has cost messages or may have, diff found a difference, or
check found damage; 2 failure.

The folders in KITBAG_PLUGIN_PATH are searched for plugins at every start; --plugin FILE loads one
more. A plugin in these folders that cannot be loaded is skipped with a warning.

Examples:
  kitbag record --from 'demo://?seconds=5' -o run.bag
  kitbag info run.bag                                print a summary
  kitbag play run.bag --to zmq+tcp://127.0.0.1:7913
  kitbag cut run.bag short.bag --start +10s --duration 5s
  kitbag filter run.bag scans.bag --topics '/scan*' /tf
  kitbag merge front.bag rear.bag both.bag
  kitbag compress run.bag small.bag)";

inline constexpr char kTimes[] =
    R"(Times: 1700000000.25 (seconds since 1970) and 2026-11-20T14:30:00Z are absolute; +5s is
relative to the start of the bags, -5s to their end. Durations: 500ms, 5s, 2m, 1.5h.
The start of a bag in a pipe (-) is the log time of its first message.

)";

inline constexpr char kRecord[] = "Record a live system to files.";
inline constexpr char kRecordFooter[] =
    R"(The name of a file ends with .active until the file is complete, except in a rosbag2
directory. SIGINT, SIGTERM and SIGHUP end the recording and complete the files; a second signal, at
least one second later, exits at once and leaves the files incomplete. The recording continues if
nobody reads its output. Keys on a terminal: space pauses and resumes, s writes a snapshot, q quits.

Examples:
  kitbag record                                  all topics, to 2026-11-20_14-30-00.mcap
  kitbag record --from ros2://7 --encoding json -o run.mcap
  kitbag record /odom '/camera/*' -o run.bag
  kitbag record --from 'demo://?seconds=3&seed=7' -o a.mcap
  kitbag record --split-duration 10m --max-total-size 50GB --min-free-space 5GB
  kitbag record --snapshot 30s --control /tmp/recorder)";

inline constexpr char kPlay[] = "Play bags into a live system, with the recorded timing.";
inline constexpr char kPlayFooter[] =
    R"(With --start, the last message of each latched channel before that time, such as a map, is
sent first. Keys on a terminal: space pauses and resumes, s sends one message, up and down change
the rate, left and right seek 5 s back and ahead, q quits.

Examples:
  kitbag play run.bag
  kitbag play run.mcap --start +10s --rate 0.5 --topics /odom '/camera/*'
  kitbag play a.mcap --to zmq+tcp://127.0.0.1:7913 --rename /odom:=/old/odom
  kitbag play front.bag rear.bag --loop --control /tmp/player)";

inline constexpr char kPipe[] = "Forward messages from one live system to another.";
inline constexpr char kPipeFooter[] = R"(Examples:
  kitbag pipe demo:// zmq+tcp://127.0.0.1:7913
  kitbag pipe ros1:// ros2://
  kitbag pipe 'zmq+tcp://127.0.0.1:7913?bind=1' zmq+tcp://10.0.0.2:7913 --topics /odom)";

inline constexpr char kServe[] = "Serve bags by HTTP: a list, downloads, and messages as JSON.";
inline constexpr char kServeFooter[] = R"(docs/serving.md describes the API.

Examples:
  kitbag serve /data/bags
  kitbag serve /data/bags --bind 0.0.0.0 --password-file /etc/kitbag/password)";

inline constexpr char kControl[] = "Send a command to a running recorder or player.";
inline constexpr char kControlFooter[] =
    R"(Commands of record:
  pause, resume, snapshot, stop
  status                         print one line of JSON

Commands of play:
  pause, resume, stop, status
  rate 0.5                       play at half the recorded speed
  seek +10s                      relative to the start; -5s to the end; or a time
  next, burst 10                 while paused: send the next message, the next ten

Examples:
  kitbag control /tmp/recorder snapshot
  kitbag control /tmp/recorder status)";

inline constexpr char kInfo[] = "Print a summary of bags: times, sizes, compression, topics.";
inline constexpr char kInfoFooter[] = R"(Examples:
  kitbag info run.bag
  kitbag info run.bag --verbose     also the timing of each topic
  kitbag info *.bag --json     an array of objects; for one bag, the object itself)";

inline constexpr char kCat[] = "Print messages; several bags are merged into one stream.";
inline constexpr char kCatFooter[] = R"(Formats:
  json    one object per line, with the decoded message in "data"
  yaml    one document per message
  csv     one line per message and one column per field; for messages of one type
  raw     the payload bytes of all messages, without separators
  digest  one line per topic, separated by tabs: topic, type, count, and the SHA-256 of (log time,
          payload) of all its messages in time order, so that equal content gives equal lines

In strings that are not UTF-8, each invalid byte is printed as U+FFFD, with one warning per topic.
Spreadsheets treat a CSV text that begins with = + - or @ as a formula; --escape-formulas puts a '
before such texts.

Examples:
  kitbag cat run.bag --topics /odom --count 3
  kitbag cat run.bag --fields pose.pose.position.x,header.stamp --format csv
  kitbag cat run.bag --where 'level >= 8 && name == "/planner"'
  kitbag cat front.bag rear.bag --start +5s --end +6s
  kitbag cat run.bag --format digest)";

inline constexpr char kEcho[] = "Follow a bag that is being written, and print its messages.";
inline constexpr char kEchoFooter[] =
    R"(Stops when the bag is complete (if its format shows that), after --count messages, or on
Ctrl-C.

Examples:
  kitbag echo run.mcap --topics /odom --fields pose.pose.position
  kitbag echo run.mcap --start -5s --where 'level >= 8' --format yaml)";

inline constexpr char kNth[] =
    "Print one message of a topic without reading the messages before it.";
inline constexpr char kNthFooter[] = R"(Examples:
  kitbag nth run.bag /odom 0                   print the first message
  kitbag nth run.bag /odom -1                  print the last message
  kitbag nth run.bag /map 4 --format raw > map.bin)";

inline constexpr char kList[] =
    "List the topics, schemas, chunks, attachments or metadata of a bag.";
inline constexpr char kListFooter[] = R"(Examples:
  kitbag list run.mcap attachments
  kitbag list run.bag chunks --json)";

inline constexpr char kTypes[] = "List the message types of a bag, or print the definition of one.";
inline constexpr char kTypesFooter[] = R"(Examples:
  kitbag types run.bag                                   list types and their topics
  kitbag types run.bag sensor_msgs/Image
  kitbag types run.bag sensor_msgs/Image --language ros2msg)";

inline constexpr char kDu[] = "Print the payload size of each topic.";
inline constexpr char kDuFooter[] = R"(Sizes are those of the payloads before compression.

Examples:
  kitbag du run.bag
  kitbag du run.bag --start +10s --duration 5s --json)";

inline constexpr char kGet[] = "Extract an attachment from a bag, or print metadata as JSON.";
inline constexpr char kGetFooter[] = R"(Examples:
  kitbag get run.mcap attachment calibration.yaml > calibration.yaml
  kitbag get run.mcap attachment photo.png --output photo.png
  kitbag get run.mcap metadata operator)";

inline constexpr char kAdd[] = "Add an attachment or metadata to a bag.";
inline constexpr char kAddFooter[] = R"(The bag does not change until everything is written.

Examples:
  kitbag add run.mcap attachment calibration.yaml --media-type application/yaml
  kitbag add run.mcap metadata operator name=Jane shift=2)";

inline constexpr char kDiff[] = "Compare the messages of two bags.";
inline constexpr char kDiffFooter[] =
    R"(Compares the topic, type, log time and payload of each message.
Exit code 0: no difference; 1: different; the first differences are printed.

Examples:
  kitbag diff run.bag copy.bag
  kitbag diff monday.bag tuesday.bag --ignore-time --topics /cmd_vel)";

inline constexpr char kCheck[] =
    "Verify bags completely: structure, index and content, time order, definitions.";
inline constexpr char kCheckFooter[] =
    R"(Exit code 0: sound; 1: each finding is printed on a line, with its file and byte or topic.

Examples:
  kitbag check run.bag
  kitbag check *.bag && echo all sound)";

inline constexpr char kRepair[] =
    "Save the intact parts of a damaged, cut-off or unindexed bag, and report what is lost.";
inline constexpr char kRepairAlias[] = "Same as repair.";
inline constexpr char kRepairFooter[] =
    R"(Exit code 0: nothing is lost; 1: messages are lost or may be, and each place is
listed; 2: there is nothing to save, or OUT cannot be written. IN is not changed; with --in-place it
is replaced when the repaired bag is complete and on the disk. OUT has the newest version of IN's
format.

Examples:
  kitbag repair crashed.bag saved.bag
  kitbag repair crashed.bag --in-place
  kitbag repair crashed.bag saved.bag --json > report.json)";

inline constexpr char kConvert[] =
    "Write a new bag: select, cut, merge, split, rename, compress in one pass.";
inline constexpr char kConvertFooter[] =
    R"(OUT appears complete or not at all. An existing OUT is replaced only with --force. The verbs
filter, cut, merge, split, compress, decompress, sort, encrypt and decrypt are convert with another
default or a required option.

Definitions that IN lacks are searched for in --definitions, in the environment variables
KITBAG_DEFINITIONS, ROS_PACKAGE_PATH and AMENT_PREFIX_PATH, and in /usr/share; those with the right
MD5 sum are added to OUT.

Examples:
  kitbag convert run.bag out.bag --exclude /camera/raw --compression lz4
  kitbag convert a.bag b.bag both.bag --rename /scan:=/laser
  kitbag convert extra.bag run.bag --append            append the messages of extra.bag to run.bag
  kitbag convert old.bag new.bag --definitions msgs    find types in msgs/PACKAGE/msg/TYPE.msg
  kitbag convert run.bag part.bag --split-size 1GB     write part_0.bag, part_1.bag, ...)";

inline constexpr char kFilter[] = "Keep selected messages: convert with a required selection.";
inline constexpr char kFilterFooter[] = R"(Examples:
  kitbag filter run.bag scans.bag --topics '/scan*' /tf
  kitbag filter run.bag light.bag --exclude '/camera/*'
  kitbag filter run.bag images.bag --types 'sensor_msgs/*Image')";

inline constexpr char kCut[] =
    "Keep a time range: convert with a required --start, --end or --duration.";
inline constexpr char kCutFooter[] = R"(Examples:
  kitbag cut run.bag middle.bag --start +10s --end -10s
  kitbag cut run.bag last.bag --start -5s
  kitbag cut run.bag crash.bag --start 2026-11-20T14:30:00Z --duration 30s)";

inline constexpr char kMerge[] =
    "Merge several bags into one, ordered by time: convert with several IN.";
inline constexpr char kMergeFooter[] = R"(Examples:
  kitbag merge front.bag rear.bag both.bag
  kitbag merge part_*.bag whole.bag --compression lz4)";

inline constexpr char kSplit[] =
    "Split a bag into several: convert with a required --split option.";
inline constexpr char kSplitFooter[] =
    R"(The files are named after OUT: part.bag gives part_0.bag, part_1.bag, ...

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

inline constexpr char kSort[] = "Store messages in time order: convert with --order time.";
inline constexpr char kSortFooter[] = R"(Examples:
  kitbag sort run.bag sorted.bag
  kitbag sort run.bag sorted.bag --by publish_time)";

inline constexpr char kEncrypt[] =
    "Encrypt a bag for the owner of a GnuPG key: convert to an encrypted OUT.";
inline constexpr char kEncryptFooter[] =
    R"(Messages, topics and types are encrypted; times, counts and sizes are not. Real rosbag can
read OUT. The passphrase comes from gpg's agent or from ROSBAG_GPG_PASSPHRASE.

Examples:
  kitbag encrypt run.bag secret.bag --gpg-key jane@example.com
  kitbag encrypt run.bag secret.bag --gpg-key '*' --compression lz4
  kitbag encrypt secret.bag part.bag --gpg-key jane@example.com --start +10s)";

inline constexpr char kDecrypt[] = "Decrypt a bag: convert with a GnuPG secret key for IN.";
inline constexpr char kDecryptFooter[] = R"(Examples:
  kitbag decrypt secret.bag run.bag
  kitbag decrypt secret.bag run.bag --gpg-key jane@example.com)";

}  // namespace kitbag::cli::help
