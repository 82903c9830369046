#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/columns.h"
#include "kitbag/error.h"
#include "kitbag/export.h"
#include "kitbag/message.h"
#include "kitbag/session.h"
#include "kitbag/stream.h"
#include "kitbag/time.h"
#include "kitbag/transcode.h"

// Plots of the numbers in messages. plot() reads them once, in memory that does not depend on how
// many there are; the other functions draw them, as SVG, as PNG or as text for a terminal.
//
//   Plot speed = plot(bag->read(), {.curves = {"/odom.twist.twist.linear.x"}}, session);
//   std::string svg = plot_svg(speed, {.title = "Speed"});
//
// A curve over time is kept as parts of equal duration, each with its least, greatest and last
// value, so a peak is drawn however short it is. There are many more parts than a plot has columns
// of pixels. NaN and infinite values are gaps, and so is a long time without messages.

namespace kitbag {

/// What plot() is to read.
struct PlotRequest {
  /// A field of a topic each: "/odom.twist.twist.linear.x", or with slashes, as rqt_plot and
  /// PlotJuggler have it: "/odom/twist/twist/linear/x". An element of a list is "/scan.ranges[3]".
  /// A topic alone stands for its only number.
  std::vector<std::string> curves = {};
  /// Paths of fields: a curve for each topic that has the field.
  std::vector<std::string> fields = {};
  /// A field, as in `curves`, that is the horizontal axis. If it is of another topic, each value is
  /// drawn at the latest value of that field. Empty: the axis is time.
  std::string against = {};
  RowTime time = RowTime::log_time;  ///< the time of a message
  /// Where seconds are counted from. Absent: from the first message of the source; from the first
  /// header stamp of the curves.
  std::optional<Time> start = {};
  /// A time without values that is longer than this is a gap. Absent: 10 times the mean period of
  /// the curve.
  std::optional<Duration> gap = {};
  std::uint64_t parts = 16'384;  ///< of a curve, at most; from 2 to kMostParts
  /// Messages that cannot be decoded; with OnError::raw they are gaps.
  OnError on_error = OnError::skip;
  /// Says which messages could not be decoded. May be null.
  TranscodeReport* report = nullptr;
  /// Called with what is worth knowing: curves without values, infinite values.
  OnWarning on_warning = {};

  static constexpr std::size_t kMostCurves = 16;           ///< of a plot
  static constexpr std::uint64_t kMostParts = 1ULL << 17;  ///< most of `parts`
};

/// Values of a curve that are drawn at one place.
struct PlotPoint {
  double x = 0;              ///< seconds from Plot::start; or the value of the horizontal axis
  double min = 0;            ///< the least value
  double max = 0;            ///< the greatest value
  double last = 0;           ///< the last value
  bool is_connected = true;  ///< no gap lies between this point and the one before

  bool operator==(const PlotPoint&) const = default;
};

/// A field of the messages of a topic.
struct PlotCurve {
  std::string topic = {};           ///< its name
  std::string field = {};           ///< its path
  std::vector<PlotPoint> points{};  ///< in the order in which they are connected
  std::uint64_t values = 0;         ///< how many numbers the messages have
  std::uint64_t infinite = 0;       ///< how many were infinite; these are gaps
  bool is_whole = false;            ///< the values are whole numbers
  bool is_state = false;            ///< a boolean or enumeration, which holds until the next value
  /// The names of values, of booleans and enumerations.
  std::vector<std::pair<std::int64_t, std::string>> names = {};

  /// Returns "/odom.twist.twist.linear.x".
  KITBAG_API std::string name() const;
};

/// Curves that were read.
struct Plot {
  std::vector<PlotCurve> curves = {};  ///< in the order of the request
  std::string against = {};            ///< name of the horizontal axis; empty: time
  RowTime time = RowTime::log_time;    ///< the time of a message
  Time start{};                        ///< where seconds are counted from
};

/// Returns the topics that the curves and the horizontal axis are of, so that no others need be
/// read. Throws Error as plot() does.
KITBAG_API std::vector<std::string> plot_topics(const Channels& channels,
                                                const PlotRequest& request, const Session& session);

/// Reads the curves. Channels of `source` may become known while it is read. Throws Error:
/// not_found for a topic or field that there is not, with similar ones; invalid for a field that is
/// no number, a path that is none, and if no curve is asked for; limit for more than
/// PlotRequest::kMostCurves; cancelled if `wait.stop` is requested; and as columns() and `source`
/// do.
KITBAG_API Plot plot(std::unique_ptr<Source> source, const PlotRequest& request,
                     const Session& session, const Wait& wait = {});

/// What the axis of time shows.
enum class PlotTimes : std::uint8_t {
  start,  ///< seconds from Plot::start
  utc,    ///< the time of day
};

/// How a plot is drawn.
struct PlotStyle {
  std::string title = {};              ///< above the plot; empty: none
  std::uint32_t width = 1200;          ///< in pixels; columns of text
  std::uint32_t height = 600;          ///< in pixels; lines of text
  PlotTimes times = PlotTimes::start;  ///< of the horizontal axis, if that is time
  bool is_dark = false;                ///< light lines on a dark background
  bool is_stacked = false;             ///< each curve in a plot of its own, with the same axis
  bool has_equal_scales = false;       ///< a unit is as long on both axes
  bool has_colors = false;             ///< of text: with escape sequences for colors
  /// The range of the vertical axis. Absent: that of the values.
  std::optional<std::pair<double, double>> y = {};

  static constexpr std::uint32_t kLeastPixels = 100;    ///< of width and height
  static constexpr std::uint32_t kMostPixels = 16'384;  ///< of width and height
  static constexpr std::uint32_t kLeastColumns = 30;    ///< of text
  static constexpr std::uint32_t kLeastLines = 8;       ///< of text
  static constexpr std::uint32_t kMostColumns = 1000;   ///< of text, and of its lines
};

/// Returns the plot as SVG: one path for each curve, with at most four points for each column of
/// pixels. Throws Error: invalid for a style out of range.
KITBAG_API std::string plot_svg(const Plot& plot, const PlotStyle& style);

/// Returns the same as PNG. Throws Error: invalid for a style out of range, limit for more than
/// 64 megapixels.
KITBAG_API std::string plot_png(const Plot& plot, const PlotStyle& style);

/// Returns the plot as lines of text, drawn with braille characters. Without colors, curves have
/// plots of their own as long as there are lines enough. Throws Error: invalid for a style out of
/// range.
KITBAG_API std::string plot_text(const Plot& plot, const PlotStyle& style);

}  // namespace kitbag
