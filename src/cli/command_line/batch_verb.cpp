#include <unistd.h>

#include <memory>

#include "cli/command_line/options.h"
#include "cli/command_line/verb.h"
#include "cli/options/batch_commands.h"
#include "cli/options/inputs.h"
#include "cli/terminal/output.h"
#include "cli/verbs.h"
#include "kitbag/system_error.h"

// The options of all bags are the same, so one command line of them is parsed for a bag that does
// not exist, before anything is looked for: a mistake is one error, and not one for each of a
// hundred thousand bags. From that line also comes what the session needs, such as plugins, so the
// processes that take the command lines have it from their start.
//
// Such a process runs one command after the other with one session. Each command has an Output of
// its own, since a write that has failed must be the failure of one bag.

namespace kitbag::cli {
namespace {

constexpr VerbText kBatchText{
    .summary = "Convert, repair, export, check or search thousands of bags, also on a cluster.",
    .more =
        R"(Run the same command again after a crash: finished bags are not done again. Options of
VERB follow "--". Exit code 1: some bags have failed or are damaged, and are listed.)",
    .examples = R"(  kitbag batch repair --from 's3://bags/**/*.bag' --to s3://repaired
  kitbag batch check --from /data/bags --to reports -j 4
  kitbag batch export --from '*.mcap' --to tables --on slurm)",
    .notes =
        R"(Options of VERB stand at the end:

  kitbag batch convert --from in/ --to out/ -- --format mcap --topics /odom

VERB is convert, repair, export, check or find. For the last two, the target is the JSON
that they print. A target has the path of its bag below the folder or the part of the glob before
the first wildcard.

The state of a job is in a folder below TO (.kitbag-batch), or in --job. With --job alone, the job
there continues. docs/batch.md describes jobs, failures and Slurm.)"};

/// A command line of the bags, to find mistakes in it before the first bag, and what it wants of
/// the session.
ParsedCommand sample_of(const BatchRequest& request) {
  return parse_command(batch_command(request, "x.bag", "x/x.bag"));
}

void complete(BatchArguments& arguments, SessionSettings& settings) {
  BatchRequest& request = arguments.request;
  if (!arguments.by_slurm && !arguments.slurm.options.empty()) {
    throw_invalid("--sbatch needs --on slurm");
  }
  if (!arguments.by_slurm && arguments.slurm.bags_per_task > 0) {
    throw_invalid("--bags-per-task needs --on slurm");
  }
  if (request.verb.empty()) {
    bool has_more = !request.from.empty() || !request.to.empty() || !request.options.empty();
    if (request.job.empty() || has_more) {
      throw_invalid("name a VERB, --from and --to, or --job alone; see kitbag batch --help");
    }
    return;
  }
  if (!request.options.empty() && !request.options.front().starts_with('-')) {
    throw_invalid(fmt::format("unexpected argument \"{}\"; bags are named by --from",
                              request.options.front()));
  }
  if (request.to.empty()) throw_invalid("name the target folder with --to");
  require_batch_options(request.options);
  request.format = batch_format(request.options);
  // A part of the request, or the processes of a job that goes on later would lack it.
  for (const std::string& plugin : settings.plugins)
    request.options.push_back("--plugin=" + plugin);
  settings = sample_of(request).settings;
}

}  // namespace

void add_batch(CommandLine& line) {
  auto arguments = std::make_shared<BatchArguments>();
  auto settings = std::make_shared<SessionSettings*>();
  Verb& verb = line.add_verb("batch", kWritingVerbs, kBatchText, arguments, batch,
                             [arguments, settings] { complete(*arguments, **settings); });
  *settings = &verb.settings();
  BatchRequest& request = arguments->request;
  add_text(verb, "VERB", request.verb, "[VERB]", "The verb to run on each bag");
  verb.offer("VERB", [](const Session&) { return batch_verbs(); });
  verb.explain_words([&request](const std::string& word) {
    return !word.starts_with('-') || request.verb.empty()
               ? std::string()
               : fmt::format("unknown option {}; options of {} follow --", word, request.verb);
  });
  add_list(verb, "OPTION", request.options, "[-- OPTION...]", "Options of VERB");
  verb.common(add_list(verb, "--from", request.from, "PATH...",
                       "Read these bags, folders of bags with those below them, and quoted globs"));
  verb.common(add_text(verb, "--to", request.to, "DIR", "Write the targets into this folder"));
  verb.common(
      add_choice(verb, "--on", arguments->by_slurm, {{"local", false}, {"slurm", true}},
                 "Use processes of this machine, or an array job of Slurm. Default: local"));
  verb.common(add_parsed(
      verb, "-j,--jobs", arguments->processes,
      [](const std::string& text) -> std::optional<unsigned> {
        std::uint64_t number = parse_size(text);
        if (number < 1 || number > kMostThreads) {
          throw_invalid(fmt::format("invalid value \"{}\"; expected an integer from 1 to {}", text,
                                    kMostThreads));
        }
        return static_cast<unsigned>(number);
      },
      "N",
      "Handle N bags at the same time; with Slurm, N tasks. Default: one per core; with Slurm, no "
      "limit"));
  verb.common(verb.add_flag("--retry", arguments->retries,
                            "Repeat the bags that have failed, and no others"));
  verb.common(verb.add_flag("--replace", arguments->may_replace,
                            "Replace existing targets that have another content"));
  verb.common(verb.add_flag("--plan", arguments->is_plan,
                            "Print the bags, their targets and their state; do nothing"));
  verb.common(add_text(verb, "--job", request.job, "DIR", "Keep the job's state in this folder"));
  verb.common(add_text(verb, "--catalog", arguments->catalog, "CATALOG",
                       "Keep the job's progress in this catalog, and add the bags that are made"));
  verb.common(verb.add_flag("--json", arguments->as_json,
                            "Print a JSON object for each bag, on a line of its own"));
  add_number(verb, "--bags-per-task", arguments->slurm.bags_per_task, "N",
             "Handle N bags in each task of Slurm. Default: as many as make at most 200 tasks",
             std::uint64_t{1});
  add_list(verb, "--sbatch", arguments->slurm.options, "OPTION",
           "Set an option of sbatch, as in --sbatch=--partition=long; may be given several times")
      ->allow_extra_args(false);
}

ParsedCommand batch_server(const std::vector<std::string>& arguments) {
  if (arguments.empty()) throw_invalid("--batch-serve is for kitbag batch alone");
  BatchRequest request{.verb = arguments.front(),
                       .options = {arguments.begin() + 1, arguments.end()}};
  auto run = [](const Context& context) {
    serve_batch([&context](const std::vector<std::string>& command) {
      Output out(STDOUT_FILENO, "standard output");
      std::optional<NoLeave> result_stands;
      Context own{context.session, context.clock, context.stop, out,
                  context.signals, result_stands};
      try {
        int code = parse_command(command).run(own);
        out.finish();
        return code;
      } catch (const Error& error) {
        throw_as(Error(error.code(), error_text(error)), error);
      }
    });
    return kDone;
  };
  return {run, sample_of(request).settings};
}

ParsedCommand batch_task_command(const std::vector<std::string>& arguments) {
  constexpr std::size_t kWords = 4;
  if (arguments.size() != kWords) throw_invalid("--batch-task is for kitbag batch alone");
  BatchTaskArguments task{arguments[1], arguments[2], parse_size(arguments[3]),
                          arguments[0] == "replace"};
  return {[task](const Context& context) { return batch_task(task, context); }, {}};
}

}  // namespace kitbag::cli
