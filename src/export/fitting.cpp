#include "export/fitting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "export/left_out.h"
#include "export/poses.h"
#include "kitbag/error.h"
#include "kitbag/transcode.h"
#include "pictures/picture_type.h"

// Tables hold every message; the formats of files here do not. What a topic is for is known by the
// last word of its type, as everywhere: there are many packages with an Image.

namespace kitbag {
namespace {

constexpr std::size_t kMostNames = 8;

bool has_picture(const Channel& channel) {
  return is_called(channel,
                   {"Image", "RawImage", "CompressedImage", "CompressedVideo", "FFMPEGPacket"});
}
bool has_points(const Channel& channel) {
  return is_called(channel, {"PointCloud2", "PointCloud", "LaserScan"});
}
bool has_poses(const Channel& channel) {
  return pose_kind(channel).has_value();
}
bool has_fixes(const Channel& channel) {
  return is_called(channel, {"NavSatFix", "LocationFix", "GPSFix"});
}

constexpr std::array<Fitting, 7> kFittings = {{{"images", "pictures", has_picture},
                                               {"pcd", "points", has_points},
                                               {"ply", "points", has_points},
                                               {"tum", "poses", has_poses},
                                               {"kitti", "poses", has_poses},
                                               {"gpx", "positions on the Earth", has_fixes},
                                               {"geojson", "positions on the Earth", has_fixes}}};

const Fitting& fitting_of(std::string_view format) {
  return *std::find_if(kFittings.begin(), kFittings.end(),
                       [&](const Fitting& each) { return each.format == format; });
}

/// Begins topics that fit.
class Begin {
 public:
  Begin(const ExportJob& job, const Fitting& fitting, const MakeTopicExport& make)
      : job_(job), fitting_(fitting), make_(make) {}

  std::unique_ptr<TopicExport> topic(const std::string& topic, const ChannelsPtr& channels) {
    const Channel* fitting = nullptr;
    const Channel* any = nullptr;
    for (const ChannelPtr& channel : *channels) {
      if (!channel) continue;
      any = channel.get();
      if (!fitting_.fits(*channel)) continue;
      // One that can be decoded, or else the first one, which tells why not.
      if (!fitting || is_decodable(*channel, job_.session)) fitting = channel.get();
    }
    if (!fitting) {
      note_misfit(topic, *any);
      return nullptr;
    }
    fits_any_ = true;
    if (is_decodable(*fitting, job_.session)) return make_(topic, channels);
    drop(topic, *fitting);
    return nullptr;
  }

  /// Says which topics were left out: in one sentence, as there are many in most bags.
  void tell() const {
    std::vector<std::string> topics;
    for (const auto& [topic, formats] : misfits_) topics.push_back(topic);
    if (topics.empty()) return;
    remark(job_.request, fmt::format("topics without {} are left out: {}", fitting_.what,
                                     fmt::join(topics, ", ")));
  }

  /// Throws Error if there are topics and none fits.
  void require_any() const {
    if (fits_any_ || misfits_.empty()) return;
    std::vector<std::string> hints;
    for (const auto& [topic, formats] : misfits_) {
      if (!formats.empty()) hints.push_back(fmt::format("{}: {}", topic, formats));
    }
    std::size_t shown = std::min(hints.size(), kMostNames);
    std::string more =
        shown < hints.size() ? fmt::format("; and {} more topics", hints.size() - shown) : "";
    hints.resize(shown);
    throw Error(
        ErrorCode::invalid,
        fmt::format("no selected topic has {}, which the format {} is for; {}{}", fitting_.what,
                    fitting_.format,
                    hints.empty() ? "tables (parquet, arrow) hold all messages"
                                  : fmt::format("other formats fit: {}", fmt::join(hints, "; ")),
                    more));
  }

 private:
  void note_misfit(const std::string& topic, const Channel& channel) {
    std::vector<std::string_view> formats;
    for (const Fitting& each : kFittings) {
      if (each.fits(channel)) formats.push_back(each.format);
    }
    misfits_[topic] = fmt::format("{}", fmt::join(formats, ", "));
  }

  void drop(const std::string& topic, const Channel& channel) const {
    if (!job_.request.columns.report) return;
    TranscodeReport::Topic& lost = job_.request.columns.report->topics[topic];
    lost.is_dropped = true;
    try {
      decoder_of(channel, job_.session);
    } catch (const Error& error) {
      if (is_final(error.code())) throw;
      lost.first_error = error.message();
    }
  }

  const ExportJob& job_;
  const Fitting& fitting_;
  const MakeTopicExport& make_;
  std::map<std::string, std::string> misfits_;  ///< and the formats that fit, by topic
  bool fits_any_ = false;
};

void refuse_options_of_tables(const ExportRequest& request, std::string_view format) {
  if (!request.columns.fields.empty()) {
    throw Error(ErrorCode::invalid,
                fmt::format("fields are selected for tables only; the format {} has none", format));
  }
  if (request.columns.on_error == OnError::raw) {
    throw Error(ErrorCode::invalid,
                fmt::format("the format {} has no place for messages that cannot be decoded; they "
                            "can be left out (skip)",
                            format));
  }
}

/// What was left out, where it is all that there was.
void require_files(const std::vector<Exported>& written, const ExportRequest& request) {
  if (!written.empty() || !request.columns.report) return;
  for (const auto& [topic, lost] : request.columns.report->topics) {
    if (lost.skipped == 0 && !lost.is_dropped) continue;
    throw Error(ErrorCode::unsupported,
                fmt::format("no message could be exported; {}", lost.first_error));
  }
}

}  // namespace

bool is_called(const Channel& channel, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), last_word(channel.type())) != names.end();
}

std::vector<Exported> export_fitting(const ExportJob& job, std::string_view format,
                                     const MakeTopicExport& make) {
  refuse_options_of_tables(job.request, format);
  Begin begin(job, fitting_of(format), make);
  auto written = export_topics(job, [&](const std::string& topic, const ChannelsPtr& channels) {
    return begin.topic(topic, channels);
  });
  begin.require_any();
  begin.tell();
  std::erase_if(written, [](const Exported& each) { return each.files == 0; });
  require_files(written, job.request);
  return written;
}

}  // namespace kitbag
