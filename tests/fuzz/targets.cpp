#include "tests/fuzz/targets.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "kitbag/bag_options.h"
#include "kitbag/rosbag2.h"
#include "kitbag/session.h"
#include "live/control/control_session.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/values.h"
#include "transport/foxglove/receiver.h"
#include "transport/framing/receiver.h"

namespace kitbag::fuzz {
namespace {

namespace fs = std::filesystem;

const Session& session() {
  static const Session kSession;
  return kSession;
}

std::string content(const fs::path& path) {
  std::ostringstream read;
  read << std::ifstream(path, std::ios::binary).rdbuf();
  return read.str();
}

/// Takes everything, and does nothing with it.
class Swallower final : public LeafVisitor<Swallower> {
 public:
  void begin_struct(const Type&) override {}
  void field(const Field&) override {}
  void end_struct() override {}
  void begin_array(const Type&, std::size_t) override {}
  void end_array() override {}

  template <class Value>
  void leaf(const Type&, Value) {}
};

// --- formats ------------------------------------------------------------------------------------

void read_all(const Bag& bag) {
  for (Order order : {Order::time, Order::file, Order::reverse_time}) {
    try_it([&] {
      Query query;
      query.order = order;
      auto source = bag.read(query);
      Batch batch;
      while (source->read(batch, {})) batch.clear();
    });
  }
}

/// A file of that format, and every query on it.
void run_format(const Format& format, const Input& input) {
  ReadOptions options;
  options.on_problem = [](const Error&) {};
  try_it([&] { read_all(*format.open(input, options, session())); });
  try_it([&] { check_by(format, input, options, session()); });
}

void run_file(const Format& format, ByteView bytes) {
  static const TemporaryFolder folder;
  fs::path path = folder.path("fuzzed" + std::string(format.extension));
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  try_it([&] { run_format(format, session().input_at(path)); });
}

void write_sample(const std::string& path, const std::string& format, WriteOptions options) {
  Query small;
  small.select.topics = {"/odom", "/tf*", "/rosout", "/battery"};
  auto source = session().open("demo://?seconds=0.2")->read(small);
  auto clock = system_clock();
  options.format = format;
  auto writer = session().create(path, options);
  run(*source, *writer, *clock);
  writer->close();
}

/// One of each version and compression.
std::vector<std::string> file_seeds(const Format& format) {
  TemporaryFolder folder;
  std::vector<FormatVersion> versions = format.versions;
  if (versions.empty()) versions.push_back({"", format.compressions});
  std::vector<std::string> seeds;
  for (const FormatVersion& version : versions) {
    for (std::string_view compression : version.compressions) {
      WriteOptions options;
      options.format_version = version.name;
      options.compression = compression;
      std::string path = folder.path(std::to_string(seeds.size()) + std::string(format.extension));
      write_sample(path, std::string(format.name), options);
      seeds.push_back(content(path));
    }
  }
  return seeds;
}

/// Of a directory, its metadata.yaml; a file lies beside it.
void run_directory(const Format& format, ByteView bytes) {
  static const TemporaryFolder folder;
  static const std::string bag = [] {
    write_sample(folder.path("bag/"), "mcap", {});
    return folder.path("bag");
  }();
  std::ofstream(bag + "/metadata.yaml", std::ios::binary) << as_text(bytes);
  try_it([&] { run_format(format, session().input_at(bag)); });
}

/// One of each version of the metadata.
std::vector<std::string> directory_seeds() {
  std::vector<std::string> seeds;
  for (int version = 1; version <= 9; ++version) {
    TemporaryFolder folder;
    WriteOptions options;
    options.metadata_version = version;
    write_sample(folder.path("bag/"), "mcap", options);
    seeds.push_back(content(folder.path("bag/metadata.yaml")));
  }
  return seeds;
}

/// What metadata.yaml says is believed as far as the files allow: nothing is read but itself.
void run_metadata(ByteView bytes) {
  static const TemporaryFolder folder;
  static const std::string bag = [] {
    write_sample(folder.path("bag/"), "mcap", {});
    return folder.path("bag");
  }();
  std::ofstream(bag + "/metadata.yaml", std::ios::binary) << as_text(bytes);
  for (bool allow_outside : {false, true}) {
    ReadOptions options;
    options.on_problem = [](const Error&) {};
    options.allow_outside = allow_outside;
    try_it([&] { session().open(bag, options); });
  }
}

/// A bag as whole, by each packer that the system has.
std::vector<std::string> packed_seeds() {
  TemporaryFolder folder;
  std::string bag = folder.path("a.bag");
  write_sample(bag, "rosbag", {});
  std::vector<std::string> seeds;
  for (const char* packer : {"gzip", "bzip2", "zstd"}) {
    std::string packed = folder.path(packer);
    std::string command = std::string(packer) + " -c " + bag + " > " + packed + " 2> /dev/null";
    if (std::system(command.c_str()) == 0) seeds.push_back(content(packed));
  }
  return seeds;
}

void add_formats(std::map<std::string, Target>& all) {
  for (const Format& format : session().registry().formats) {
    Target& target = all["format-" + std::string(format.name)];
    if (!format.create) {
      target = {[&format](ByteView bytes) { run_file(format, bytes); }, packed_seeds};
    } else if (format.is_container) {
      target = {[&format](ByteView bytes) { run_directory(format, bytes); }, directory_seeds};
    } else {
      target = {[&format](ByteView bytes) { run_file(format, bytes); },
                [&format] { return file_seeds(format); }};
    }
  }
}

// --- codecs -------------------------------------------------------------------------------------

constexpr std::size_t kSeedBytes = 2;

/// The type of that number, as the codec's language has it; null: it cannot say it.
TypePtr numbered_type(const Codec& codec, std::uint32_t number) {
  std::mt19937 random(number);
  TypePtr type = test::TypeMaker(random, codec.encoding == "cdr").make();
  const Language* language = find_language(session().registry(), codec.language);
  try {
    if (language && language->adapt && codec.encoding != "cdr") type = language->adapt(*type);
    codec.encoder(type, {});
    return type;
  } catch (const Error&) {
    return nullptr;
  }
}

/// The number of a type, then a payload of it: decoded, and brought to every encoding.
void run_codec(const Codec& codec, ByteView bytes) {
  if (bytes.size() < kSeedBytes) return;
  auto number = std::to_integer<std::uint32_t>(bytes[0]) | std::to_integer<std::uint32_t>(bytes[1])
                                                               << 8;
  TypePtr type = numbered_type(codec, number);
  if (!type) return;
  ByteView payload = bytes.subspan(kSeedBytes);
  auto decoder = codec.decoder(type);
  try_it([&] {
    Swallower swallower;
    decoder->decode(payload, swallower);
  });
  for (const Codec& other : session().registry().codecs) {
    try_it([&] {
      auto encoder = other.encoder(type, {});
      Arena arena;
      encoder->begin(arena);
      decoder->decode(payload, *encoder);
      encoder->end();
    });
  }
  if (!codec.is_self_describing) return;
  try_it([&] {
    Swallower swallower;
    codec.decoder(nullptr)->decode(payload, swallower);
  });
}

std::vector<std::string> codec_seeds(const Codec& codec) {
  std::vector<std::string> seeds;
  for (std::uint32_t number = 0; number < 256; ++number) {
    TypePtr type = numbered_type(codec, number);
    if (!type) continue;
    std::mt19937 random(number);
    auto encoder = codec.encoder(type, {});
    Arena arena;
    encoder->begin(arena);
    test::tell_random(*type, random, *encoder);
    std::string seed{static_cast<char>(number), 0};
    seeds.push_back(seed.append(as_text(encoder->end())));
  }
  return seeds;
}

// --- languages ----------------------------------------------------------------------------------

/// A schema: parsed, and printed in every language that can say it.
void run_language(const Language& language, ByteView bytes) {
  Schema schema{"test/Fuzzed", std::string(language.name), std::string(as_text(bytes))};
  // What names the root of it: descriptors and IDL have their own.
  std::size_t end = schema.text.find('\n');
  if (end != std::string::npos && end < 64) {
    schema.name = schema.text.substr(0, end);
    schema.text.erase(0, end + 1);
  }
  try_it([&] {
    TypePtr type = language.parse(schema);
    if (!type) return;
    if (language.metadata) try_it([&] { language.metadata(schema, *type); });
    for (const Language& other : session().registry().languages) {
      try_it([&] {
        TypePtr adapted = other.adapt ? other.adapt(*type) : type;
        if (other.print) other.parse(other.print(*adapted));
      });
    }
  });
}

std::vector<std::string> language_seeds(const Language& language) {
  if (!language.print) return {};
  auto channels = session().open("demo://?seconds=1")->read()->channels();
  std::vector<std::string> seeds;
  for (const ChannelPtr& channel : *channels) {
    TypePtr type = type_of(*channel, session());
    Schema schema = language.print(language.adapt ? *language.adapt(*type) : *type);
    seeds.push_back(schema.name + '\n' + schema.text);
  }
  return seeds;
}

// --- texts --------------------------------------------------------------------------------------

void add_text(std::map<std::string, Target>& all, const std::string& name,
              const std::function<void(const std::string&)>& parse,
              const std::vector<std::string>& seeds) {
  auto run = [parse](ByteView bytes) { try_it([&] { parse(std::string(as_text(bytes))); }); };
  all["text-" + name] = {run, [seeds] { return seeds; }};
}

/// Rules, and what becomes of a type by them.
void run_migration(const std::string& text) {
  static const TemporaryFolder folder;
  static const std::string definitions = [] {
    fs::create_directories(folder.path("p"));
    std::ofstream(folder.path("p/T.msg")) << "int32 b\nint64[2] c\nint8[] d\nstring e\n";
    return folder.path("");
  }();
  TranscodeOptions options;
  options.to_definitions = {{definitions, 0}};
  options.migration = parse_migration(text);
  auto schema = std::make_shared<const Schema>(Schema{"p/T", "ros1msg", "int16 a\nint32 b\n"});
  auto channel = std::make_shared<const Channel>(Channel{"/t", "ros1", schema, {}, 0});
  evolution_of(*channel, options, session());
  auto stage = transcode(options, session());
  ChannelPtr mapped = stage->map(channel);
  if (!mapped) return;
  Batch batch;
  batch.channels = std::make_shared<const Channels>(Channels{mapped});
  std::string payload(6, '\1');
  batch.add({mapped.get(), 0, 0, Time(), Time(), as_bytes(payload)});
  stage->apply(batch);
}

/// What recorders and bags say of quality of service, read, and written so that it reads again.
void run_qos(const std::string& text) {
  try_it([&] {
    auto profiles = rosbag2::parse_qos(text);
    for (auto form : {rosbag2::QosForm::numbers, rosbag2::QosForm::names}) {
      std::string printed = rosbag2::print_qos(profiles, form);
      if (rosbag2::print_qos(rosbag2::parse_qos(printed), form) != printed) std::abort();
    }
  });
  try_it([&] { rosbag2::parse_qos_overrides(text); });
  try_it([&] { rosbag2::parse_static_topics(text); });
  try_it([&] { rosbag2::parse_bag_options(text, "output_bags"); });
}

void add_texts(std::map<std::string, Target>& all) {
  add_text(all, "expression",
           [](const std::string& text) { where(text, OnError::skip, nullptr, session()); },
           {R"(linear.x > 0.5 && status == "OK")", "!(a.b[3] <= -1e3) || c in (1, 2)", "x == nan"});
  add_text(all, "migration", run_migration,
           {"types:\n  a/B: a/C\nfields:\n  a/C:\n    x: y\nfill:\n  a/C:\n    z: 1.5\n",
            "types: {p/T: p/T}\nfill: {p/T: {b: &a [1, 2], c: *a, d: [*a, *a]}}\n",
            "fields:\n  ? p/T\n  : \"a\": 'b'\n"});
  add_text(all, "qos", run_qos,
           {rosbag2::print_qos({{}}, rosbag2::QosForm::numbers),
            rosbag2::print_qos({{}, {}}, rosbag2::QosForm::names),
            "/a: {history: keep_last, depth: 10, deadline: {sec: 1, nsec: 2}}",
            "static_topics_and_types_list:\n  - [/a, p/msg/T]\n"});
  add_text(all, "uri",
           [](const std::string& text) {
             session().path_of(text);
             if (location_of(text)) session().open(text);
           },
           {"demo://?seconds=1&seed=7", "file:///tmp/a%20b.bag"});
  add_text(all, "quantity",
           [](const std::string& text) {
             try_it([&] { parse_size(text); });
             try_it([&] { parse_duration(text); });
             try_it([&] { parse_time(text).resolve({}, {}); });
           },
           {"768KiB", "1h 30m", "1700000000.25", "2026-11-20T14:30:00.5+01:00", "-5s"});
}

// --- what comes from the network and from sockets -----------------------------------------------

/// Takes the next piece of `bytes`, whose length stands in front of it.
ByteView next_piece(ByteView& bytes) {
  std::size_t head = std::min<std::size_t>(bytes.size(), 2);
  std::size_t size = 0;
  for (std::size_t i = 0; i < head; ++i) size = size << 8 | std::to_integer<std::size_t>(bytes[i]);
  size = std::min(size, bytes.size() - head);
  ByteView piece = bytes.subspan(head, size);
  bytes = bytes.subspan(head + size);
  return piece;
}

/// Messages of as many frames as a byte in front of them says; what is held stays bounded.
void run_zmq_frames(ByteView bytes) {
  framing::ReceiverLimits limits;
  limits.held_bytes = 4 << 10;
  limits.channels = {8, 16 << 10};
  auto clock = std::make_shared<ManualClock>();
  Feed feed(64 << 10, OnFull::drop_oldest, clock);
  Subscription wanted;
  wanted.select.exclude = {"/unwanted*"};
  framing::Receiver receiver(wanted, "fuzzed", true, Session(Registry(), clock), feed, limits);
  while (!bytes.empty()) {
    auto count = std::to_integer<std::size_t>(bytes.front()) % 5;
    clock->advance(std::chrono::milliseconds(std::to_integer<int>(bytes.front())));
    bytes = bytes.subspan(1);
    std::vector<ByteView> frames;
    for (std::size_t i = 0; i < count; ++i) frames.push_back(next_piece(bytes));
    receiver.take(frames, [] { return std::make_shared<int>(); });
    receiver.tick();
    require(receiver.held_bytes() <= limits.held_bytes);
    require(receiver.channels().bytes() <= limits.channels.bytes);
    require(receiver.channels().channels() <= limits.channels.channels);
  }
  receiver.finish();
  require(receiver.held_bytes() == 0);
  feed.close();
  for (Batch batch; feed.read(batch, {}); batch.clear()) {
  }
}

std::string zmq_seed(const std::vector<std::vector<std::string>>& messages) {
  std::string seed;
  for (const auto& frames : messages) {
    seed += static_cast<char>(frames.size());
    for (const std::string& frame : frames) {
      seed += static_cast<char>(frame.size() >> 8);
      seed += static_cast<char>(frame.size() & 0xff);
      seed += frame;
    }
  }
  return seed;
}

std::vector<std::string> zmq_seeds() {
  return {zmq_seed({{"/a", R"({"channel":"x","log_time":1})", "held"},
                    {"/a", R"({"channel":"x","encoding":"json","schema":{"name":"T","language":
                        "jsonschema","text":"{}"},"metadata":{"latching":"1"}})"},
                    {"/a", R"({"channel":"x","log_time":2,"publish_time":-1,"sequence":7})", "{}"},
                    {"/unwanted", "{}", "x"},
                    {"", R"({"end":true})"}}),
          zmq_seed({{"/b", R"({"schema":null,"more":[{"a":[1.5,true,null]}]})", "x"}, {"alone"}})};
}

/// Texts and frames of a server, and the same bytes as those of a client. What was parsed is
/// printed as a text that gives the same again.
void run_foxglove(ByteView bytes) {
  foxglove::ReceiverLimits limits;
  limits.channels = {8, 16 << 10};
  auto clock = std::make_shared<ManualClock>();
  Feed feed(64 << 10, OnFull::drop_oldest, clock);
  foxglove::Receiver receiver({}, "fuzzed", true, Session(Registry(), clock), feed, limits);
  receiver.begin();
  while (!bytes.empty()) {
    bool is_text = std::to_integer<int>(bytes.front()) % 2 == 0;
    bytes = bytes.subspan(1);
    ByteView piece = next_piece(bytes);
    if (is_text) {
      receiver.take_text(as_text(piece), [](const std::string&) {});
      try {
        std::string json = foxglove::to_json(foxglove::parse_text(as_text(piece)));
        require(foxglove::to_json(foxglove::parse_text(json)) == json);
      } catch (const Error&) {
      }
    } else {
      receiver.take_frame(piece);
      try {
        foxglove::parse_client_frame(piece);
      } catch (const Error&) {
      }
    }
    require(feed.channels()->size() <= limits.channels.channels);
  }
  receiver.finish();
  feed.close();
  for (Batch batch; feed.read(batch, {}); batch.clear()) {
  }
}

std::vector<std::string> foxglove_seeds() {
  foxglove::Advertise channels{{{1, {.topic = "/a", .encoding = "json"}}}};
  foxglove::ServerInfo info{"x", {"time"}, {"cdr"}, {{from_ns(1), from_ns(2)}}, "7"};
  auto head = foxglove::message_head(1, from_ns(5));
  std::string seed;
  auto add = [&seed](char kind, const std::string& piece) {
    seed += kind;
    seed += static_cast<char>(piece.size() >> 8);
    seed += static_cast<char>(piece.size() & 0xff);
    seed += piece;
  };
  add(0, foxglove::to_json(info));
  add(0, foxglove::to_json(channels));
  add(0, foxglove::to_json(foxglove::Status{1, "slow"}));
  add(1, std::string(as_text(head)) + "{}");
  add(1, foxglove::to_frame(foxglove::PlaybackState{}));
  add(0, foxglove::to_json(foxglove::Unadvertise{{1}}));
  add(0, foxglove::to_json(foxglove::Subscribe{{{1, 2}}}));
  add(1, foxglove::to_frame(foxglove::PlaybackRequest{}));
  return {seed};
}

/// Bytes in pieces; the commands are the lines of all bytes, and one answer waits at most.
void run_control_lines(ByteView bytes) {
  std::string all;
  std::string answered;
  ControlSession session({});
  auto answer = [&](const std::string& command) {
    answered += command + "\n";
    return command;
  };
  while (!bytes.empty() && !session.is_over()) {
    std::string_view piece = as_text(next_piece(bytes));
    while (!piece.empty() && session.room() > 0) {
      std::string_view part = piece.substr(0, session.room());
      all += part;
      session.take(part, {}, answer);
      while (!session.unsent().empty()) {
        require(session.room() == 0);
        session.sent(std::min<std::size_t>(session.unsent().size(), 7), {}, answer);
      }
      piece.remove_prefix(part.size());
    }
  }
  std::string whole = all.substr(0, all.rfind('\n') + 1);
  for (std::size_t at = 0; (at = whole.find("\r\n", at)) != std::string::npos;) whole.erase(at, 1);
  require(answered == whole);
  require(all.size() - (all.rfind('\n') + 1) <= ControlLines::kMostLineBytes + 1);
}

std::vector<std::string> control_seeds() {
  return {zmq_seed({{"status\npause\r\n", "resume"}}).substr(1),
          zmq_seed({{"seek +10s\n\n", "\n\n", "x"}}).substr(1)};
}

}  // namespace

std::map<std::string, Target> targets() {
  std::map<std::string, Target> all;
  all["zmq-frames"] = {run_zmq_frames, zmq_seeds};
  all["foxglove"] = {run_foxglove, foxglove_seeds};
  all["control-lines"] = {run_control_lines, control_seeds};
  add_formats(all);
  for (const Codec& codec : session().registry().codecs) {
    all["codec-" + std::string(codec.encoding)] = {
        [&codec](ByteView bytes) { run_codec(codec, bytes); },
        [&codec] { return codec_seeds(codec); }};
  }
  for (const Language& language : session().registry().languages) {
    all["language-" + std::string(language.name)] = {
        [&language](ByteView bytes) { run_language(language, bytes); },
        [&language] { return language_seeds(language); }};
  }
  all["text-metadata"] = {run_metadata, directory_seeds};
  add_texts(all);
  add_columns(all);
  add_picture(all);
  add_tables(all);
  add_http(all);
  add_http_connection(all);
  add_ros2(all);
  return all;
}

}  // namespace kitbag::fuzz
