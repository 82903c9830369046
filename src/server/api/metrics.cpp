#include <fmt/format.h>

#include <exception>
#include <string>
#include <string_view>

#include "kitbag/chunk_figures.h"
#include "kitbag/escape.h"
#include "server/api/bag_api.h"
#include "server/recorder/recorder_service.h"

// Counters in the text format of Prometheus, version 0.0.4.
//
// A counter (_total) only rises while the server runs; whatever may fall, or begins anew with each
// recording, is a gauge. Names and labels are part of the API: dashboards have them. Nothing here
// reads a bag, but the catalog is asked whether it answers, since each scrape should find that out.

namespace kitbag::server {
namespace {

/// The value of a label: topics are texts of other programs.
std::string label_value(std::string_view text) {
  std::string value = "\"";
  for (char c : valid_utf8(text)) {
    if (c == '\\' || c == '"') value += '\\';
    if (c == '\n') {
      value += "\\n";
    } else {
      value += c;
    }
  }
  return value + '"';
}

class MetricsText {
 public:
  void begin(const char* name, const char* type, const char* help) {
    name_ = name;
    text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }
  void sample(std::uint64_t value) { text_ += fmt::format("{} {}\n", name_, value); }
  void sample(const char* label, std::string_view of, std::uint64_t value) {
    text_ += fmt::format("{}{{{}={}}} {}\n", name_, label, label_value(of), value);
  }

  void counter(const char* name, const char* help, std::uint64_t value) {
    begin(name, "counter", help);
    sample(value);
  }
  void gauge(const char* name, const char* help, std::uint64_t value) {
    begin(name, "gauge", help);
    sample(value);
  }

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  const char* name_ = "";
};

void add_http(const HttpCounts& counts, MetricsText& text) {
  text.begin("kitbag_http_requests_total", "counter", "Requests answered, by class of status");
  for (std::size_t i = 1; i < counts.requests.size(); ++i) {
    text.sample("status", fmt::format("{}xx", i), counts.requests[i]);
  }
  text.gauge("kitbag_http_connections", "Open connections", counts.connections);
  text.counter("kitbag_http_sent_bytes_total", "Bytes sent to clients", counts.sent_bytes);
  text.counter("kitbag_http_aborted_total", "Answers that were broken off", counts.aborted);
}

void add_bags(const BagSnapshot& snapshot, MetricsText& text) {
  std::uint64_t bytes = 0;
  for (const BagEntryPtr& bag : snapshot.bags) bytes += bag->size_bytes;
  text.gauge("kitbag_bags", "Bags in the list", snapshot.bags.size());
  text.gauge("kitbag_bags_bytes", "Size of all bags in the list", bytes);
}

void add_catalog(CatalogPool& pool, MetricsText& text) {
  bool is_there = true;
  try {
    pool.read([](Catalog& catalog) { catalog.ping(); });
  } catch (const std::exception&) {
    is_there = false;
  }
  text.gauge("kitbag_catalog_up", "1: the catalog answers, 0: it does not", is_there ? 1 : 0);
}

void add_chunks(const ChunkFigures& chunks, MetricsText& text) {
  text.counter("kitbag_chunks_loaded_total", "Compressed chunks that were read and decompressed",
               chunks.loads);
  text.counter("kitbag_chunks_shared_total",
               "Chunks that a request took over from another one instead of loading them",
               chunks.hits);
  text.counter("kitbag_chunks_awaited_total",
               "Of the shared chunks, those that another request was still loading", chunks.waits);
  text.gauge("kitbag_chunks_kept_bytes", "Decompressed chunks that are kept for other requests",
             chunks.kept_bytes);
}

void add_recorder(const RecorderReport& report, MetricsText& text) {
  text.begin("kitbag_recorder_state", "gauge", "1 for the state of the recorder");
  for (auto state : {RecorderState::recording, RecorderState::paused, RecorderState::waiting,
                     RecorderState::stopped}) {
    text.sample("state", to_string(state), report.state == state ? 1 : 0);
  }
  const RecorderReport::Totals& totals = report.totals;
  text.counter("kitbag_recorder_messages_total", "Messages recorded", totals.messages);
  text.counter("kitbag_recorder_bytes_total", "Payload of the messages recorded", totals.bytes);
  text.counter("kitbag_recorder_dropped_messages_total", "Messages dropped for lack of buffer",
               totals.dropped);
  text.counter("kitbag_recorder_lost_messages_total", "Messages that never reached kitbag",
               totals.lost);
  text.begin("kitbag_recorder_topic_dropped_messages", "gauge",
             "Messages dropped, by topic, in the current recording");
  for (const auto& [topic, count] : report.now.dropped) text.sample("topic", topic, count);
  text.counter("kitbag_recorder_deleted_files_total",
               "Files deleted by the limits or for lack of space", totals.deleted_files);
  text.counter("kitbag_recorder_deleted_bytes_total", "Size of the deleted files",
               totals.deleted_bytes);
  text.gauge("kitbag_recorder_leased_bytes", "Size of deleted files that are still being read",
             report.now.leased_bytes);
  text.counter("kitbag_recorder_repaired_files_total", "Files completed after a crash",
               totals.repaired_files);
  text.gauge("kitbag_recorder_missing_systems", "Live systems that cannot be reached for now",
             report.now.missing.size());
  text.gauge("kitbag_recorder_buffered_bytes", "Messages that wait to be stored",
             report.now.buffered_bytes);
  if (report.now.free_bytes != UINT64_MAX) {
    text.gauge("kitbag_recorder_free_bytes", "Free space of the disk", report.now.free_bytes);
  }
  if (!report.now.upload) return;
  const UploadStatus& upload = *report.now.upload;
  text.gauge("kitbag_upload_waiting_files", "Files that are not uploaded yet",
             upload.waiting_files);
  text.gauge("kitbag_upload_waiting_bytes", "Size of these files", upload.waiting_bytes);
  text.counter("kitbag_upload_bytes_total", "Size of the files that were uploaded",
               upload.uploaded_bytes);
  auto failing = std::chrono::duration_cast<std::chrono::seconds>(upload.failing).count();
  text.gauge("kitbag_upload_failing_seconds", "Time since uploads began to fail; 0: they do not",
             static_cast<std::uint64_t>(failing));
}

}  // namespace

void add_metrics(Routes& routes, Served& served, std::function<HttpCounts()> http) {
  auto metrics = [&served, http = std::move(http)](const Call&) {
    MetricsText text;
    add_http(http(), text);
    if (served.catalog) {
      add_catalog(served.catalog->pool(), text);
    } else {
      add_bags(*served.bags.now(), text);
    }
    text.counter("kitbag_revoked_leases_total",
                 "Downloads and slices that were aborted because the disk was nearly full",
                 served.leases->revoked());
    add_chunks(chunk_figures(served.session), text);
    if (served.recorder) add_recorder(served.recorder->report(), text);
    Response response = text_response(200, "text/plain; version=0.0.4", text.take());
    return std::move(response.set("Cache-Control", "no-store"));
  };
  routes.add({.method = "GET",
              .path = "/metrics",
              .summary = "Counters for Prometheus",
              .media_type = "text/plain",
              .takes_any_parameter = true,
              .answer = metrics});
}

}  // namespace kitbag::server
