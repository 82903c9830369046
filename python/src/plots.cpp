#include "plots.h"

#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <utility>

#include "arguments.h"
#include "bag.h"
#include "kitbag/file.h"
#include "kitbag/plot.h"
#include "kitbag/text.h"
#include "message_progress.h"

// Plots: what was read is kept, and can be drawn several times.

namespace kitbag::python {

namespace {

PlotRequest plot_request(const py::dict& options) {
  PlotRequest request;
  take(options, "curves", request.curves);
  take(options, "fields", request.fields);
  take(options, "against", request.against);
  take(options, "parts", request.parts);
  std::string time = "log_time";
  take(options, "time", time);
  request.time = row_time_of(time);
  std::optional<std::int64_t> gap_ns;
  take(options, "gap_ns", gap_ns);
  if (gap_ns) request.gap = Duration(*gap_ns);
  std::string on_error = "skip";
  take(options, "on_error", on_error);
  request.on_error = on_error_of(on_error);
  return request;
}

PlotStyle plot_style(const py::dict& options) {
  PlotStyle style;
  take(options, "title", style.title);
  take(options, "width", style.width);
  take(options, "height", style.height);
  std::string times = "start";
  take(options, "times", times);
  if (times != "start" && times != "utc") {
    throw Error(ErrorCode::invalid, "unknown times \"" + times + "\"; use \"start\" or \"utc\"");
  }
  style.times = times == "utc" ? PlotTimes::utc : PlotTimes::start;
  take(options, "dark", style.is_dark);
  take(options, "stack", style.is_stacked);
  take(options, "equal", style.has_equal_scales);
  take(options, "colors", style.has_colors);
  take(options, "y", style.y);
  return style;
}

Plot read_plot(const Bags& bags, const py::dict& options, Wanted wanted,
               const py::object& progress) {
  auto news = std::make_shared<Problems>("TypeWarning");
  TranscodeReport of_condition;
  TranscodeReport of_messages;
  PlotRequest request = plot_request(options);
  request.report = &of_messages;
  request.on_warning = Problems::collector(news);
  // The times of the header count from the first of them: they can be of another clock.
  if (request.time != RowTime::header_stamp && messages_in(bags) > 0) {
    request.start = bags.span().first;
  }
  if (request.time == RowTime::publish_time) wanted.by = TimeField::publish_time;
  MessageProgress told(progress, messages_in(bags));
  auto work = [&](const std::stop_token& stop) {
    auto topics = plot_topics(*bags.read(wanted, &of_condition)->channels(), request, session());
    wanted.select.topics.clear();
    for (const std::string& topic : topics) wanted.select.topics.push_back(exact_pattern(topic));
    return plot(told.watched(bags.read(wanted, &of_condition)), request, session(), {.stop = stop});
  };
  Plot read = interruptibly(work, [&](std::stop_source&) { told.tell(); });
  told.tell_end(told.messages());
  bags.problems()->warn();
  news->warn();
  warn_of_losses(of_condition);
  warn_of_losses(of_messages);
  return read;
}

std::string draw(const Plot& plot, const std::string& format, const py::dict& options) {
  PlotStyle style = plot_style(options);
  return without_gil([&] {
    if (format == "svg") return plot_svg(plot, style);
    if (format == "png") return plot_png(plot, style);
    return plot_text(plot, style);
  });
}

py::list curves(const Plot& plot) {
  py::list all;
  for (const PlotCurve& each : plot.curves) {
    all.append(py::make_tuple(str(each.topic), str(each.field), each.values, each.infinite));
  }
  return all;
}

}  // namespace

void add_plots(py::module_& module) {
  py::class_<Plot>(module, "_Plot")
      .def(
          "draw",
          [](const Plot& plot, const std::string& format, const py::dict& options) {
            return py::bytes(draw(plot, format, options));
          },
          py::arg("format"), py::arg("options"))
      .def(
          "save",
          [](const Plot& plot, const std::string& format, const py::dict& options,
             const std::string& path, bool may_replace) {
            auto drawn = std::make_shared<const std::string>(draw(plot, format, options));
            without_gil(
                [&] { save_file(*memory_file(as_bytes(*drawn), drawn), path, may_replace); });
          },
          py::arg("format"), py::arg("options"), py::arg("path"), py::arg("replace"))
      .def("curves", &curves);
  module.def("_plot", &read_plot, py::arg("bags"), py::arg("options"), py::arg("wanted"),
             py::arg("progress"));
}

}  // namespace kitbag::python
