// kitbag's side of the benchmark of columns and SQL, through the public headers only.
//
// usage: kitbag_columns BAG FILE PHASE
// BAG:   none, zstd, rosbag: what FILE is; 1,000,000 messages of nav_msgs/Odometry
//        image: 10,000 images of 1 MB, in memory
//        jpegs: what FILE is; 1,000 images of 500 kB that look like JPEGs
//        pictures: 300 of 1280 x 720 pixels, in FILE; their bytes alone in FILE.rgb
//        huge: 10 GB of images and lists in FILE, nearly all of it holes
// PHASE: prepare   writes FILE
//        memory    the same messages from memory to columns: three fields and the stamp
//        file      from FILE to columns
//        whole     the same with all fields
//        sql       SELECT count(*), avg(x), from FILE
//        narrow    the same for 1 % of the time, after opening
//        export    all fields to Parquet with zstd, or images, in a folder beside FILE
//        video     the pictures to MP4, likewise
// Other ways for the same work, by BENCH_BY: visitor (decodes to a visitor that takes the fields),
// reading (reads the messages and decodes none), threads (two decode), copy (copies the bytes of
// the images), loop (a bare loop that writes the same JPEGs, and waits for the disk).

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/jpeg_files.h"
#include "bench/meter.h"
#include "bench/painted_pictures.h"
#include "bench/sparse_bag.h"
#include "kitbag/kitbag.h"
#include "sql/database.h"

namespace {

constexpr std::uint64_t kMessages = 1'000'000;
constexpr std::uint64_t kStartNs = 1'700'000'000'000'000'000;
constexpr std::size_t kPool = 4096;
const std::vector<std::string> kFields = {"pose.pose.position.x", "pose.pose.position.y",
                                          "twist.twist.linear.x"};

/// A channel of odometry: the simulated robot has one.
kitbag::ChannelPtr odometry_channel(const kitbag::Session& session) {
  auto bag = session.open("demo://?seconds=1");
  const kitbag::ChannelsPtr channels = bag->read()->channels();
  for (const kitbag::ChannelPtr& each : *channels) {
    if (each->type() != "nav_msgs/Odometry") continue;
    auto channel = std::make_shared<kitbag::Channel>(*each);
    channel->slot = 0;
    return channel;
  }
  throw std::runtime_error("there is no odometry");
}

/// Payloads, again and again.
class Payloads {
 public:
  explicit Payloads(std::vector<std::byte> one) : size_(one.size()), all_(std::move(one)) {}
  /// Those of the robot, changed so that all differ.
  explicit Payloads(const kitbag::Session& session) {
    auto bag = session.open("demo://?seconds=1");
    std::vector<std::byte> first;
    for (const kitbag::Message& message : bag->messages()) {
      if (message.channel->type() == "nav_msgs/Odometry") {
        first.assign(message.data.begin(), message.data.end());
        break;
      }
    }
    size_ = first.size();
    all_.resize(size_ * kPool);
    for (std::size_t i = 0; i < kPool; ++i) {
      std::memcpy(&all_[i * size_], first.data(), size_);
      std::uint32_t number = static_cast<std::uint32_t>(i) * 2'654'435'761U;
      for (std::size_t at = size_ - 8 * 36; at + 8 < size_; at += 24) {
        std::memcpy(&all_[i * size_ + at], &number, 3);
        number = number * 1'664'525U + 1'013'904'223U;
      }
    }
  }
  kitbag::ByteView operator[](std::uint64_t i) const {
    return kitbag::ByteView(all_).subspan(i % (all_.size() / size_) * size_, size_);
  }

 private:
  std::size_t size_ = 0;
  std::vector<std::byte> all_;
};

/// The same messages from memory.
class MemorySource final : public kitbag::Source {
 public:
  MemorySource(const kitbag::ChannelPtr& channel, const Payloads& payloads, std::uint64_t messages)
      : channels_(std::make_shared<kitbag::Channels>(kitbag::Channels{channel})),
        payloads_(payloads),
        messages_(messages) {}

  kitbag::ChannelsPtr channels() const override { return channels_; }
  bool read(kitbag::Batch& batch, const kitbag::Wait&) override {
    if (next_ == messages_) return false;
    batch.channels = channels_;
    for (; next_ < messages_ && !batch.full(); ++next_) {
      auto time = kitbag::from_ns(static_cast<std::int64_t>(kStartNs + next_));
      batch.add({channels_->front().get(), 0, 0, time, time, payloads_[next_]});
    }
    return true;
  }

 private:
  std::shared_ptr<kitbag::Channels> channels_;
  const Payloads& payloads_;
  std::uint64_t messages_;
  std::uint64_t next_ = 0;
};

void prepare(const std::string& bag, const std::string& path, const kitbag::Session& session) {
  const Payloads payloads(session);
  MemorySource source(odometry_channel(session), payloads, kMessages);
  kitbag::WriteOptions options;
  options.format = bag == "rosbag" ? "rosbag" : "mcap";
  options.compression = bag == "zstd" ? "zstd" : "none";
  auto writer = session.create(path, options);
  kitbag::run(source, *writer, *session.clock());
  writer->close();
}

kitbag::ColumnsRequest request() {
  kitbag::ColumnsRequest request;
  request.fields = kFields;
  request.time = kitbag::RowTime::header_stamp;
  request.has_topic = false;
  return request;
}

/// Adds up what a column says, as a reader of it would.
void count_rows(std::unique_ptr<kitbag::Columns> table, bench::Meter& meter) {
  ArrowArray batch;
  double sum = 0;
  while (table->next(&batch)) {
    meter.messages += static_cast<std::uint64_t>(batch.length);
    const ArrowArray& column = *batch.children[1];
    if (column.n_buffers == 2) {  // else it is a struct
      const auto* x = static_cast<const double*>(column.buffers[1]);
      for (std::int64_t i = 0; i < batch.length; ++i) sum += x[i];
    }
    batch.release(&batch);
  }
  meter.sum = static_cast<std::uint64_t>(std::abs(sum));
}

/// Takes single values, as scripts do.
class Taker final : public kitbag::LeafVisitor<Taker> {
 public:
  double sum = 0;

  void begin_struct(const kitbag::Type&) override {}
  void field(const kitbag::Field&) override {}
  void end_struct() override {}
  void begin_array(const kitbag::Type&, std::size_t) override {}
  void end_array() override {}
  template <class Value>
  void leaf(const kitbag::Type&, Value value) {
    if constexpr (std::is_same_v<Value, double>) sum += value;
  }
};

void visit(const kitbag::ChannelPtr& channel, const Payloads& payloads,
           const kitbag::Session& session, bench::Meter& meter) {
  auto decoder = kitbag::decoder_of(*channel, session);
  Taker taker;
  auto selected =
      kitbag::select_fields({"header.stamp", kFields[0], kFields[1], kFields[2]}, taker);
  for (std::uint64_t i = 0; i < kMessages; ++i) decoder->decode(payloads[i], *selected);
  meter.messages = kMessages;
  if (taker.sum == 0) throw std::runtime_error("nothing was visited");
}

void read_memory(const std::string& by, const kitbag::Session& session, bench::Meter& meter) {
  const Payloads payloads(session);
  auto channel = odometry_channel(session);
  auto source = std::make_unique<MemorySource>(channel, payloads, kMessages);
  meter.start();
  if (by == "visitor") return visit(channel, payloads, session, meter);
  count_rows(kitbag::columns(std::move(source), request(), session), meter);
}

void read_file(const std::string& path, const std::string& phase, const std::string& by,
               const kitbag::Session& session, bench::Meter& meter) {
  auto bag = session.open(path);
  const kitbag::Query query{.order = kitbag::Order::file};
  if (by != "reading") {
    kitbag::ColumnsRequest wanted = request();
    if (phase == "whole") wanted.fields.clear();
    if (by == "threads") wanted.threads = 2;
    return count_rows(kitbag::columns(*bag, query, wanted, session), meter);
  }
  auto source = bag->read(query);
  for (kitbag::Batch batch; source->read(batch, {}); batch.clear()) {
    meter.messages += batch.messages().size();
  }
}

/// Images in memory that was touched before, as a reader of a bag has them.
void read_images(const std::string& by, const kitbag::Session& session, bench::Meter& meter) {
  constexpr std::size_t kBytes = 1'000'000;
  constexpr std::size_t kImages = 10'000;
  std::vector<std::byte> image(kBytes + sizeof(std::uint32_t), std::byte{7});
  const auto size = static_cast<std::uint32_t>(kBytes);
  std::memcpy(image.data(), &size, sizeof size);
  auto channel = std::make_shared<kitbag::Channel>();
  channel->topic = "/image";
  channel->encoding = "ros1";
  channel->schema =
      std::make_shared<kitbag::Schema>(kitbag::Schema{"bench/Bytes", "ros1msg", "uint8[] data\n"});
  meter.messages = kImages;
  meter.bytes = kImages * kBytes;
  if (by == "copy") {
    std::vector<std::byte> target(16 * kBytes);
    meter.start();
    for (std::size_t i = 0; i < kImages; ++i) {
      std::memcpy(&target[i % 16 * kBytes], image.data() + sizeof size, kBytes);
    }
    meter.sum = std::to_integer<std::uint64_t>(target[kBytes]);
    return;
  }
  const Payloads payloads(image);
  auto source = std::make_unique<MemorySource>(channel, payloads, kImages);
  meter.start();
  kitbag::ColumnsRequest request;
  request.batch_rows = 16;
  auto table = kitbag::columns(std::move(source), request, session);
  ArrowArray batch;
  while (table->next(&batch)) batch.release(&batch);
}

void export_file(const std::string& path, const std::string& format, const kitbag::Session& session,
                 bench::Meter& meter) {
  auto bag = session.open(path);
  kitbag::ExportRequest request;
  request.format = format;
  request.may_replace = true;
  for (const kitbag::Exported& each :
       kitbag::export_messages(bag->read(), path + ".tables", request, session)) {
    meter.messages += each.messages;
    meter.bytes += each.size_bytes;
  }
}

void query(const std::string& path, bool is_narrow, bench::Meter& meter) {
  auto set = std::make_shared<kitbag::sql::BagSet>();
  set->bags.push_back({path, set->session.open(path)});
  kitbag::sql::Database database(set);
  std::string text = "SELECT count(*), avg(\"pose.pose.position.x\") FROM odom";
  if (is_narrow) {
    text += " WHERE time >= " + std::to_string(kStartNs + kMessages / 2) + " AND time < " +
            std::to_string(kStartNs + kMessages / 2 + kMessages / 100);
    meter.start();
  }
  auto answer = database.query(text);
  if (!answer->next()) throw std::runtime_error("there is no answer");
  meter.messages = static_cast<std::uint64_t>(std::get<std::int64_t>(answer->value(0)));
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 4) throw std::invalid_argument("usage: kitbag_columns BAG FILE PHASE");
  const std::string bag = arguments[1];
  const std::string path = arguments[2];
  const std::string phase = arguments[3];
  const char* by_text = std::getenv("BENCH_BY");
  const std::string by = by_text ? by_text : "";
  const kitbag::Session session;
  if (phase == "prepare") {
    if (bag == "pictures") {
      bench::prepare_pictures(path, kStartNs, session);
    } else if (bag == "jpegs") {
      bench::prepare_jpegs(path, kStartNs, session);
    } else if (bag == "huge") {
      bench::prepare_sparse(path, kStartNs);
    } else {
      prepare(bag, path, session);
    }
    return 0;
  }
  bench::Meter meter;
  if (bag == "image") {
    read_images(by, session, meter);
  } else if (phase == "memory") {
    read_memory(by, session, meter);
  } else if (phase == "file" || phase == "beside" || phase == "whole") {
    read_file(path, phase, by, session, meter);
  } else if (bag == "jpegs") {
    by == "loop" ? bench::write_jpegs(path, meter) : bench::export_jpegs(path, session, meter);
  } else if (phase == "export") {
    export_file(path, "parquet", session, meter);
  } else if (phase == "video") {
    export_file(path, "mp4", session, meter);
  } else {
    query(path, phase == "narrow", meter);
  }
  meter.report();
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
