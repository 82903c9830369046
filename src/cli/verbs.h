#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/context.h"
#include "cli/options/found_moments.h"
#include "cli/options/inputs.h"
#include "cli/options/jobs.h"
#include "cli/options/live_system.h"
#include "cli/options/many_bags.h"
#include "cli/options/payload_stages.h"
#include "cli/options/recording.h"
#include "cli/options/renames.h"
#include "cli/options/select.h"
#include "cli/options/target.h"
#include "cli/terminal/printing.h"
#include "kitbag/batch.h"
#include "kitbag/catalog.h"
#include "kitbag/export_messages.h"
#include "kitbag/find.h"
#include "kitbag/import_tables.h"
#include "kitbag/play.h"
#include "kitbag/plot.h"
#include "kitbag/print.h"
#include "kitbag/record.h"

namespace kitbag::cli {

/// Exit codes, the same for every verb. A failure is thrown as an Error.
inline constexpr int kDone = 0;
inline constexpr int kNotSo = 1;  ///< the answer is no, or damage was found
inline constexpr int kFailed = 2;

struct InfoArguments {
  ManyBags bags;
  bool as_json = false;
  bool is_verbose = false;
  bool as_yaml = false;  ///< rosbag's
  std::string key;       ///< of the YAML, alone; "": all of it
  ReadingOptions reading;
};
int info(const InfoArguments& arguments, const Context& context);

struct FindArguments {
  std::vector<std::string> places;  ///< folders with bags, or bags
  FindQuery query;
  std::string catalog;  ///< address of the catalog that is asked; empty: bags are opened
  std::map<std::string, std::string> tags;  ///< of the catalog's bags
  std::optional<Duration> last;             ///< only so long ago, at most
  std::vector<std::string> definitions;     ///< folders
  MomentOptions moments;
  bool as_json = false;
  ReadingOptions reading;
};
int find(const FindArguments& arguments, const Context& context);

struct CatalogArguments {
  enum class Action { init, add, scan, watch, list, set, check, picture, jobs, remove };
  Action action = Action::list;
  std::string address;
  std::vector<std::string> paths;  ///< of bags, or of folders; of jobs: the name of one
  std::map<std::string, std::string> tags;
  std::optional<std::string> note;
  std::optional<CatalogEvent> event;
  std::string text;
  bool as_json = false;
  bool only_damaged = false;     ///< of list
  bool only_with_drops = false;  ///< of list
  bool reads_index_only = false;
  bool has_checksums = false;  ///< of adding: they are made; of check: they are compared
  std::string topic;           ///< of picture; "": the first that has any
  std::optional<Time> at;      ///< of picture
  std::string output;          ///< of picture
  bool may_replace = false;    ///< of picture
  Duration period = std::chrono::seconds(10);  ///< of watch
  bool forgets_missing = false;
  ReadingOptions reading;
};
int catalog(const CatalogArguments& arguments, const Context& context);

struct LsArguments {
  std::vector<std::string> paths;  ///< files, folders and globs
  bool is_long = false;            ///< with sizes and times
  bool is_recursive = false;
  bool opens_bags = false;       ///< and prints what they hold
  std::optional<Duration> link;  ///< how long addresses are valid that are printed
  bool as_json = false;
};
int ls(const LsArguments& arguments, const Context& context);

struct CpArguments {
  std::vector<std::string> sources;  ///< files, folders and globs
  std::string target;
  bool may_replace = false;
  bool is_recursive = false;
  bool reads_again = false;  ///< what was written
  unsigned jobs = 1;         ///< at the same time
  bool as_json = false;
};
int cp(const CpArguments& arguments, const Context& context);

struct BatchArguments {
  BatchRequest request;
  bool by_slurm = false;
  std::optional<unsigned> processes;  ///< absent: one a core; by Slurm: no limit
  bool retries = false;
  bool may_replace = false;
  bool is_plan = false;  ///< nothing is done; the bags are listed
  BatchSlurmOptions slurm;
  std::string catalog;  ///< address of the catalog that is told; empty: none
  bool as_json = false;
};
int batch(const BatchArguments& arguments, const Context& context);

/// A task of an array job that batch() has submitted.
struct BatchTaskArguments {
  std::string job;  ///< folder
  std::string run;
  std::uint64_t number = 0;
  bool may_replace = false;
};
int batch_task(const BatchTaskArguments& arguments, const Context& context);

struct CatArguments {
  ManyBags bags;
  SelectOptions select;
  ReadingOptions reading;
  PayloadOptions payload;                                 ///< on_error is that of `print`
  PrintingOptions print;                                  ///< its format is `format`
  std::optional<PrintFormat> format = PrintFormat::json;  ///< absent: a digest
  std::string folder;    ///< for a file for each topic; empty: standard output
  bool is_tail = false;  ///< the count is of the last messages, not of the first
};
int cat(const CatArguments& arguments, const Context& context);

struct ExportArguments {
  ManyBags bags;
  std::string folder;
  SelectOptions select;
  ReadingOptions reading;
  PayloadOptions payload;  ///< on_error is that of `request`
  ExportRequest request;   ///< without report and warnings
  std::string config;      ///< a file that describes a dataset
  std::string frame = {};  ///< "PARENT:CHILD", of trajectories
  bool as_json = false;
};
int export_bags(const ExportArguments& arguments, const Context& context);

/// What a plot is drawn as.
enum class PlotFormat { text, svg, png };

struct PlotArguments {
  ManyBags bags;
  std::vector<std::string> unknown;  ///< words that are neither a field nor a file
  std::string output;                ///< a file; empty: standard output
  bool may_replace = false;
  std::optional<PlotFormat> format;  ///< absent: by the name of the file; text without
  SelectOptions select;
  ReadingOptions reading;
  PayloadOptions payload;  ///< on_error is that of `request`
  PlotRequest request;     ///< without start, report and warnings
  PlotStyle style;         ///< without width, height and colors
  std::optional<std::pair<std::uint32_t, std::uint32_t>> pixels;
  std::optional<std::uint32_t> columns;  ///< of text
  std::optional<std::uint32_t> lines;    ///< of text
  std::optional<bool> is_dark;
  std::optional<Coloring> coloring;  ///< of text
};
int plot_bags(const PlotArguments& arguments, const Context& context);

struct ImportArguments {
  std::vector<std::string> tables;  ///< files, or folders of them
  TargetOptions target;
  OpenTableOptions open;
  ImportRequest request;                 ///< without encoding, definitions and warnings
  std::string encoding;                  ///< empty: as the table says
  std::vector<std::string> definitions;  ///< folders
  bool as_json = false;
};
int import_tables(const ImportArguments& arguments, const Context& context);

struct EchoArguments {
  std::string bag;                                     ///< or the URI of a live system
  std::map<std::string, std::string> parameters = {};  ///< of a system of ROS
  std::string option_of_bags = {};  ///< one that was given and that systems do not have, or ""
  Selection select;
  std::optional<TimePoint> start;
  std::uint64_t count = UINT64_MAX;
  ReadingOptions reading;
  PayloadOptions payload;  ///< on_error is that of `print`
  PrintingOptions print;
};
int echo(const EchoArguments& arguments, const Context& context);
/// The same of a live system.
int echo_live(const EchoArguments& arguments, const Context& context);

struct NthArguments {
  std::string bag;
  std::string topic;
  std::int64_t position = 0;  ///< from 0; negative: from the end
  Order order = Order::time;
  TimeField by = TimeField::log_time;
  ReadingOptions reading;
  std::vector<std::string> definitions;  ///< folders
  PrintingOptions print;
};
int nth(const NthArguments& arguments, const Context& context);

struct TopicsArguments {
  SystemOptions system;  ///< one; none: those that can be found
  Selection select;
  std::optional<Duration> wait;      ///< until the list is complete; absent: as the system needs
  std::optional<Duration> measured;  ///< for how long messages are counted; absent: not at all
  bool watches = false;              ///< again and again, until it is stopped
  bool is_verbose = false;           ///< with nodes and quality of service
  bool as_json = false;
};
int topics(const TopicsArguments& arguments, const Context& context);

struct PublishArguments {
  SystemOptions to;
  std::string topic;
  std::string type;
  std::vector<std::string> texts;  ///< the value
  std::optional<double> rate_hz;   ///< absent: once, unless there is a count
  std::optional<std::uint64_t> count;
  bool is_latched = false;
  bool stays = false;  ///< at the end, until it is stopped
  bool awaits_subscribers = false;
  std::string encoding;                  ///< empty: what the system takes
  std::vector<std::string> definitions;  ///< folders
};
int publish(const PublishArguments& arguments, const Context& context);

struct DiffArguments {
  std::string a;
  std::string b;
  SelectOptions select;
  ReadingOptions reading;
  bool ignore_time = false;
  bool as_json = false;
};
int diff(const DiffArguments& arguments, const Context& context);

struct CheckArguments {
  ManyBags bags;
  bool as_json = false;
  std::uint64_t decoded_messages = CheckOptions().decoded_messages;  ///< of each channel
  ReadingOptions reading;
  TranscodingOptions transcoding;  ///< definitions to hold the channels against
};
int check(const CheckArguments& arguments, const Context& context);

struct TypesArguments {
  std::string bag;
  std::string type;      ///< empty: the names of all
  std::string language;  ///< to print it in; empty: as it is stored
  bool as_json = false;
  ReadingOptions reading;
  std::vector<std::string> definitions;  ///< folders
};
int types(const TypesArguments& arguments, const Context& context);

/// What `list` lists: of bags; or formats and encodings, which kitbag has.
enum class Listed { topics, schemas, chunks, attachments, metadata, formats, encodings };

struct ListArguments {
  ManyBags bags;
  Listed what = Listed::topics;
  bool as_json = false;
  ReadingOptions reading;
};
int list(const ListArguments& arguments, const Context& context);

/// How the answer to a query is shown.
enum class AnswerForm { table, csv, json, ndjson, arrow };

/// What answers a query.
enum class SqlEngine { sqlite, duckdb };

struct SqlArguments {
  std::string query;
  std::vector<std::string> bags;
  std::string catalog;  ///< address of the catalog whose bags are read; empty: `bags` are
  SqlEngine engine = SqlEngine::sqlite;
  AnswerForm form = AnswerForm::table;
  OnError on_error = OnError::stop;
  std::vector<std::string> definitions;  ///< folders
  ReadingOptions reading;
};
int sql(const SqlArguments& arguments, const Context& context);

struct DuArguments {
  ManyBags bags;
  SelectOptions select;
  bool as_json = false;
  ReadingOptions reading;
};
int du(const DuArguments& arguments, const Context& context);

struct StatsArguments {
  ManyBags bags;
  SelectOptions select;
  std::optional<Duration> gap;  ///< longer periods are counted as gaps
  bool as_json = false;
  std::vector<std::string> definitions;  ///< folders
  ReadingOptions reading;
};
int stats(const StatsArguments& arguments, const Context& context);

/// The two kinds of content that have a name.
enum class Named { attachment, metadata };

struct GetArguments {
  std::string bag;
  Named what = Named::attachment;
  std::string name;
  std::uint64_t number = 0;  ///< of those with this name, from 1; 0: the only one
  std::string output;        ///< a file; empty: standard output
  bool may_replace = false;
  ReadingOptions reading;
};
int get(const GetArguments& arguments, const Context& context);

struct AddArguments {
  std::string bag;
  Named what = Named::attachment;
  std::vector<std::string> words;  ///< a file; or a name and KEY=VALUE...
  std::string name;                ///< of the attachment; empty: that of the file
  std::string media_type;
  std::optional<Time> log_time;     ///< absent: now
  std::optional<Time> create_time;  ///< absent: log_time
};
int add(const AddArguments& arguments, const Context& context);

struct ConvertArguments {
  std::vector<std::string> inputs;
  SelectOptions select;
  ReadingOptions reading;
  Renames renames;
  PayloadOptions payload = {.on_error = OnError::stop};
  TargetOptions target;  ///< its path is set by each job
  OutputOptions output;
};
int convert(const ConvertArguments& arguments, const Context& context);

struct RecordArguments : RecordingOptions {
  std::vector<std::string> topics;  ///< names or globs
  bool takes_all = false;
  bool takes_all_unasked = false;  ///< because nothing was selected
  std::optional<Duration> duration;
  std::optional<std::uint64_t> limit;
  std::optional<Duration> upload_wait;  ///< absent: until all is uploaded
  std::string control;                  ///< a socket; empty: none
  bool as_json = false;
};
int record(const RecordArguments& arguments, const Context& context);

struct UploadArguments {
  std::string folder;  ///< with bags, or a directory of rosbag2
  UploadOptions upload;
  bool deletes = false;  ///< what was verified
  bool follows = false;  ///< goes on with files that are added, until it is stopped
  bool as_json = false;
};
int upload(const UploadArguments& arguments, const Context& context);

struct PlayArguments {
  std::vector<std::string> bags;
  SystemOptions to;
  SelectOptions select;
  ReadingOptions reading;
  Renames renames;
  PayloadOptions payload;
  PlayOptions play;     ///< without bags, topics and times
  std::string control;  ///< a socket; empty: none
  /// Requests of services, and of actions, are sent in place of their events.
  bool sends_requests = false;
  bool sends_goals = false;     ///< see sends_requests
  std::string requests_source;  ///< whose events have them; empty: those of servers
};
int play(const PlayArguments& arguments, const Context& context);

struct PipeArguments {
  std::string from;
  std::string to;
  Selection select;
  FeedOptions feed;
  std::vector<Throttle> throttle;
  PayloadOptions payload;
};
int pipe(const PipeArguments& arguments, const Context& context);

struct ServeArguments {
  std::vector<std::string> places;  ///< folders with bags, or bags
  std::string catalog;              ///< its address; empty: there is none
  std::string bind = "127.0.0.1";   ///< an address
  std::uint16_t port = 8090;
  std::string public_url;
  std::vector<std::string> live;     ///< URIs of live systems
  bool accepts_published = false;    ///< of clients of live data
  bool allows_sql = false;           ///< queries of clients
  std::vector<std::string> latched;  ///< topics, in addition to the documented ones
  bool without_default_latched = false;
  bool uses_local_time = false;
  std::vector<std::string> allowed_origins;
  std::vector<std::string> allowed_uris;  ///< prefixes of bags that requests name by their address
  std::string token;
  std::string password_file;
  std::string tls_certificate;
  std::string tls_key;
  std::vector<std::string> panels;  ///< folders of panels for the page
  std::string cache_folder;         ///< empty: the default
  std::uint64_t max_cache_bytes = std::uint64_t{10} << 30;
  RecordingOptions record;  ///< into the first place; without a system: nothing
  std::optional<std::uint64_t> max_slice_bytes;
  std::optional<Duration> max_work;
  Duration drain_delay{};                         ///< between SIGTERM and the end of accepting
  Duration drain_time = std::chrono::seconds(5);  ///< for what is under way then
};
int serve(const ServeArguments& arguments, const Context& context);

struct ViewArguments {
  std::vector<std::string> places;       ///< bags, or folders with bags
  std::vector<std::string> panels;       ///< folders of panels for the page
  std::vector<std::string> definitions;  ///< folders
  bool without_browser = false;
};
int view(const ViewArguments& arguments, const Context& context);

struct ControlArguments {
  std::string socket;
  std::vector<std::string> words;  ///< the command
};
int control(const ControlArguments& arguments, const Context& context);

struct RepairArguments {
  std::vector<std::string> inputs;
  OutputOptions output;
  bool in_place = false;  ///< each is replaced, and its original not kept
  ReadingOptions reading;
  std::vector<std::string> definitions;         ///< folders
  WriteOptions write = {.may_replace = false};  ///< compression empty: that of IN
};
int repair(const RepairArguments& arguments, const Context& context);

}  // namespace kitbag::cli
