#include "export/tracks.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "export/fitting.h"
#include "export/left_out.h"
#include "export/message_files.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/text.h"
#include "kitbag/value.h"

// A receiver without a fix sends messages all the same: with the status "no fix", with NaN, or with
// the last position. They are no positions, so they are left out, and counted; a GPX begins a new
// segment there, which is how it says that reception was lost.

namespace kitbag {
namespace {

struct Fix {
  Time time{};
  double latitude = 0;                  ///< degrees, north is positive
  double longitude = 0;                 ///< degrees, east is positive
  std::optional<double> altitude = {};  ///< metres; as the message has it, mostly above WGS 84
};

/// Writes the fixes of one topic. One thread.
class TrackWriter {
 public:
  virtual ~TrackWriter() = default;
  virtual void begin(const std::string& topic) = 0;
  virtual void add(const Fix& fix) = 0;
  /// A fix is missing here.
  virtual void gap() {}
  virtual void end() = 0;

  void open(std::unique_ptr<WriteFile> file) { file_ = std::move(file); }
  std::uint64_t close() {
    std::uint64_t size_bytes = file_->size();
    file_->commit();
    return size_bytes;
  }

 protected:
  void append(std::string_view text) { file_->append(as_bytes(text)); }

 private:
  std::unique_ptr<WriteFile> file_;
};

/// XML has no way to write control characters.
std::string xml_text(std::string_view text) {
  std::string safe;
  for (char c : escaped(text)) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

class Gpx final : public TrackWriter {
 public:
  void begin(const std::string& topic) override {
    append(
        fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                    "<gpx version=\"1.1\" creator=\"kitbag\" "
                    "xmlns=\"http://www.topografix.com/GPX/1/1\">\n"
                    "<trk><name>{}</name>\n",
                    xml_text(topic)));
  }
  void add(const Fix& fix) override {
    if (!is_open_) append("<trkseg>\n");
    is_open_ = true;
    // The schema excludes 180 degrees, which are -180.
    double longitude = fix.longitude == 180 ? -180 : fix.longitude;
    std::string elevation =
        fix.altitude ? fmt::format("<ele>{:.4f}</ele>", *fix.altitude) : std::string();
    append(fmt::format("<trkpt lat=\"{:.10f}\" lon=\"{:.10f}\">{}<time>{}</time></trkpt>\n",
                       fix.latitude, longitude, elevation, format_time(fix.time)));
  }
  void gap() override {
    if (is_open_) append("</trkseg>\n");
    is_open_ = false;
  }
  void end() override {
    gap();
    append("</trk>\n</gpx>\n");
  }

 private:
  bool is_open_ = false;
};

/// RFC 7946: one Feature, a LineString. The times of its positions are in the properties, which
/// stand behind it.
class GeoJson final : public TrackWriter {
 public:
  void begin(const std::string& topic) override { topic_ = topic; }
  void add(const Fix& fix) override {
    std::string altitude = fix.altitude ? fmt::format(",{}", *fix.altitude) : std::string();
    std::string position = fmt::format("[{},{}{}]", fix.longitude, fix.latitude, altitude);
    // Held to the end: the properties are behind the geometry.
    times_.push_back(fix.time);
    // A line has two points.
    if (times_.size() == 1) {
      first_ = std::move(position);
      return;
    }
    if (times_.size() == 2) append(geometry("LineString", "[" + first_));
    append(",\n" + position);
  }
  void end() override {
    append(times_.size() == 1 ? geometry("Point", first_) : "]");
    append(fmt::format("}},\n\"properties\":{{\"topic\":{},\"times\":[", json_quoted(topic_)));
    for (std::size_t i = 0; i < times_.size(); ++i) {
      append(fmt::format("{}\"{}\"", i == 0 ? "" : ",\n", format_time(times_[i])));
    }
    append("]}}\n");
  }

 private:
  static std::string geometry(std::string_view type, std::string_view coordinates) {
    return fmt::format("{{\"type\":\"Feature\",\"geometry\":{{\"type\":\"{}\",\"coordinates\":{}",
                       type, coordinates);
  }

  std::string topic_;
  std::string first_;
  std::vector<Time> times_;
};

class TopicTrack final : public TopicExport {
 public:
  TopicTrack(const std::string& topic, std::string_view extension,
             std::unique_ptr<TrackWriter> writer, const ExportJob& job)
      : topic_(topic),
        job_(job),
        name_(job.folder.name_of(topic, extension)),
        writer_(std::move(writer)),
        left_out_(topic, job.request),
        values_(job.session),
        times_(job.request, job.session) {}

  void write(std::span<const Message> messages, const ChannelsPtr&) override {
    for (const Message& message : messages) {
      std::optional<Fix> fix;
      left_out_.unless([&] { fix = read(message); });
      if (fix) {
        add(*fix);
      } else if (messages_ > 0) {
        writer_->gap();
      }
    }
  }

  Exported finish() override {
    if (messages_ == 0) return {topic_, job_.folder.path_of(name_), 0, 0, 0};
    writer_->end();
    return {topic_, job_.folder.path_of(name_), messages_, 1, writer_->close()};
  }

 private:
  Fix read(const Message& message) {
    Value value = values_.read(message);
    return in_message(message, [&] {
      Fix fix{times_.of(message), value.get<double>("latitude"), value.get<double>("longitude")};
      auto status = value.find("status.status");
      if (status && status->as<std::int64_t>() < 0) refuse("has no fix");
      // Not `> 90`, so that NaN is refused, too.
      if (!(std::abs(fix.latitude) <= 90) || !(std::abs(fix.longitude) <= 180)) {
        refuse("has no latitude and longitude on the Earth");
      }
      auto altitude = value.find("altitude");
      if (altitude && !altitude->is_nothing() && std::isfinite(altitude->as<double>())) {
        fix.altitude = altitude->as<double>();
      }
      return fix;
    });
  }

  [[noreturn]] static void refuse(std::string_view why) {
    throw Error(ErrorCode::unsupported, fmt::format("the message {}", why));
  }

  void add(const Fix& fix) {
    if (messages_++ == 0) {
      writer_->open(job_.folder.create(name_));
      writer_->begin(topic_);
    }
    writer_->add(fix);
  }

  std::string topic_;
  const ExportJob& job_;
  std::string name_;
  std::unique_ptr<TrackWriter> writer_;
  LeftOut left_out_;
  ValueReader values_;
  MessageTimes times_;
  std::uint64_t messages_ = 0;
};

template <class Writer>
std::vector<Exported> export_tracks(const ExportJob& job, std::string_view format) {
  return export_fitting(job, format, [&](const std::string& topic, const ChannelsPtr&) {
    return std::make_unique<TopicTrack>(topic, "." + std::string(format),
                                        std::make_unique<Writer>(), job);
  });
}

}  // namespace

std::vector<Exported> export_gpx(ExportJob& job) {
  return export_tracks<Gpx>(job, "gpx");
}

std::vector<Exported> export_geojson(ExportJob& job) {
  return export_tracks<GeoJson>(job, "geojson");
}

}  // namespace kitbag
