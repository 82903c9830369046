#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/options/definitions.h"
#include "cli/options/transcoding.h"
#include "kitbag/encode_video.h"
#include "kitbag/pipeline.h"
#include "kitbag/stream.h"

namespace kitbag::cli {

/// What is to happen to messages on their way from a source to a sink.
struct PayloadOptions {
  std::vector<std::string> definitions = {};  ///< folders
  std::string where = {};                     ///< a condition on fields; empty: all
  TranscodingOptions transcoding = {};
  OnError on_error = OnError::raw;
  std::vector<Every> every = {};        ///< which of the messages of a topic are kept
  std::vector<Throttle> throttle = {};  ///< how many a second
  bool drops_duplicates = false;
  bool aligns_to_header = false;  ///< log times are those of header.stamp
  Duration shift{};               ///< added to all times, at last
  bool drops_metadata = false;
  bool drops_attachments = false;
  std::vector<EncodedTopics> videos = {};  ///< of pictures
  bool drops_pictures = false;             ///< where the encoder is too slow

  /// Messages are left out, so that a count is of those that remain.
  bool selects() const {
    return !where.empty() || !every.empty() || !throttle.empty() || drops_duplicates;
  }
};

/// The stages that do it, in this order: missing definitions are supplied; duplicates left out,
/// then messages that do not meet the condition, then those that are too many; times changed;
/// pictures encoded; payloads transcoded.
class PayloadStages {
 public:
  /// Throws Error (not_found) for a folder that is none. `context` must outlive it.
  PayloadStages(PayloadOptions options, const Context& context);

  /// `source` through them; `count` is of messages that remain, and heeded where PayloadOptions
  /// selects(). This object must outlive it. Throws Error (invalid) for options that make no sense.
  std::unique_ptr<Source> add_to(std::unique_ptr<Source> source, std::uint64_t count = UINT64_MAX);
  /// Changes or leaves out extras that do not come from that source.
  void change_extras(Batch& batch) const;

  /// For bags whose definitions are asked for before they are read.
  Definitions& definitions() { return definitions_; }
  TranscodeReport& report() { return report_; }
  const EncodeVideoReport& videos() const { return videos_; }
  /// Prints a line for each thing to report, behind `about`.
  void warn(const std::string& about = {}) const;

 private:
  PayloadOptions options_;
  const Context& context_;
  Definitions definitions_;
  TranscodeReport report_;
  EncodeVideoReport videos_;
  std::uint64_t duplicates_ = 0;
  AlignReport aligned_;
};

}  // namespace kitbag::cli
