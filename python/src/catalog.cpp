#include "catalog.h"

#include <pybind11/stl.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "arguments.h"
#include "bag.h"
#include "kitbag/catalog.h"
#include "kitbag/catalog_jobs.h"
#include "kitbag/escape.h"

// A catalog is used by one thread at a time, so a lock is held around each call, in the thread that
// does its work. Results are copied into plain values there, and become objects of Python when the
// GIL is held again.

namespace kitbag::python {

namespace {

using Tags = std::map<std::string, std::string>;

std::vector<std::string> texts(const py::handle& given) {
  std::vector<std::string> all;
  for (py::handle each : given) all.push_back(utf8(each));
  return all;
}

Tags tags_of(const py::dict& given) {
  Tags tags;
  for (const auto& [name, value] : given) tags[utf8(name)] = utf8(value);
  return tags;
}

CatalogAddOptions add_options(const py::dict& given, const std::shared_ptr<Problems>& problems) {
  CatalogAddOptions options;
  options.read.on_problem = Problems::collector(problems);
  bool is_index_only = false;
  take(given, "index_only", is_index_only);
  options.reads_messages = !is_index_only;
  options.tags = tags_of(given["tags"]);
  return options;
}

CatalogQuery query_of(const py::dict& given) {
  CatalogQuery query;
  query.query.select.topics = texts(given["topics"]);
  query.query.select.types = texts(given["types"]);
  std::optional<std::int64_t> ns;
  take(given, "start_ns", ns);
  if (ns) query.query.begin = from_ns(*ns);
  ns.reset();
  take(given, "end_ns", ns);
  if (ns) query.query.end = from_ns(*ns);
  std::int64_t longer_ns = 0;
  take(given, "longer_ns", longer_ns);
  query.query.longer_than = Duration(longer_ns);
  query.query.where = utf8(given["where"]);
  query.tags = tags_of(given["tags"]);
  query.text = utf8(given["text"]);
  take(given, "newest_first", query.is_newest_first);
  take(given, "skip", query.skip);
  take(given, "most", query.most);
  return query;
}

py::list paths_of(const CatalogBag& bag) {
  py::list paths;
  for (const std::string& path : bag.paths) paths.append(str(path));
  return paths;
}

py::dict dict_of(const CatalogBag& bag) {
  using namespace py::literals;
  py::list topics;
  for (const CatalogTopic& each : bag.topics) {
    topics.append(py::make_tuple(str(each.topic), str(each.type), str(each.encoding), each.messages,
                                 py::cast(each.density)));
  }
  py::dict tags;
  for (const auto& [name, value] : bag.tags) tags[str(name)] = str(value);
  py::list events;
  for (const CatalogEvent& each : bag.events) {
    events.append(py::make_tuple(each.number, to_ns(each.start), to_ns(each.end), str(each.name)));
  }
  return py::dict("number"_a = bag.number, "paths"_a = paths_of(bag),
                  "fingerprint"_a = bag.fingerprint, "format"_a = bag.format,
                  "size_bytes"_a = bag.size_bytes, "start"_a = to_ns(bag.start),
                  "end"_a = to_ns(bag.end), "messages"_a = bag.messages,
                  "damage"_a = str(bag.damage), "added"_a = to_ns(bag.added), "topics"_a = topics,
                  "tags"_a = tags, "note"_a = str(bag.note), "events"_a = events);
}

py::tuple job_tuple(const CatalogJob& job) {
  return py::make_tuple(str(job.job), str(job.verb), str(job.target), job.counts.all,
                        job.counts.done, job.counts.damaged, job.counts.failed, to_ns(job.began),
                        to_ns(job.changed), job.is_at_work);
}

py::tuple bag_tuple(const BatchTask& task) {
  return py::make_tuple(str(task.source), str(task.target), str(to_string(task.state)),
                        str(task.reason));
}

/// What became of a bag of a scan.
struct Scanned {
  std::string path;
  std::optional<CatalogChange> change;
  std::string error;
};

/// A moment, and where it was found.
struct Found {
  std::int64_t bag = 0;
  std::string path;
  Time bag_start{};
  Moment moment;
};

class CatalogHandle {
 private:  // first, since what it returns is deduced
  template <class Work, class Between>
  auto run(Work work, Between between) {
    if (process_ != process_number()) {
      throw Error(ErrorCode::invalid,
                  "the catalog was opened in another process; open it again in this one");
    }
    if (!catalog_) throw Error(ErrorCode::invalid, "the catalog is closed");
    return interruptibly(
        [&](const std::stop_token& stop) {
          std::lock_guard lock(mutex_);
          return work(*catalog_, stop);
        },
        between);
  }
  template <class Work>
  auto run(Work work) {
    return run(std::move(work), [](std::stop_source&) {});
  }

 public:
  CatalogHandle(py::handle address, bool creates) {
    address_ = utf8(address);
    catalog_ = interruptibly([&](const std::stop_token& stop) {
      Wait wait{stop, kNever};
      auto opened = std::make_unique<Catalog>(creates ? Catalog::create(address_, session(), wait)
                                                      : Catalog(address_, session(), wait));
      opened->set_definitions(definition_places({}));
      return of_this_process(std::move(opened));
    });
  }

  std::string add(py::handle path, const py::dict& given) {
    auto problems = std::make_shared<Problems>();
    CatalogAddOptions options = add_options(given, problems);
    std::string at = utf8(path);
    CatalogChange change = run([&](Catalog& catalog, const std::stop_token& stop) {
      options.stop = options.read.stop = stop;
      return catalog.add(at, options);
    });
    problems->warn();
    return to_string(change);
  }

  py::list scan(py::handle folder, const py::dict& given, const py::object& progress) {
    auto problems = std::make_shared<Problems>();
    CatalogAddOptions options = add_options(given, problems);
    std::string at = utf8(folder);
    std::mutex mutex;
    std::vector<Scanned> scanned;
    std::size_t told = 0;
    auto tell = [&] {
      if (progress.is_none()) return;
      std::unique_lock lock(mutex);
      while (told < scanned.size()) {
        Scanned each = scanned[told++];
        lock.unlock();
        progress(tuple_of(each));
        lock.lock();
      }
    };
    auto work = [&](Catalog& catalog, const std::stop_token& stop) {
      options.stop = options.read.stop = stop;
      catalog.scan(at, options,
                   [&](const std::string& path, const CatalogChange* change, const Error* error) {
                     std::lock_guard lock(mutex);
                     scanned.push_back({path, change ? std::optional(*change) : std::nullopt,
                                        error ? error->what() : ""});
                   });
    };
    run(work, [&](std::stop_source&) { tell(); });
    problems->warn();
    py::list all;
    for (const Scanned& each : scanned) all.append(tuple_of(each));
    return all;
  }

  bool remove(py::handle path) {
    std::string at = utf8(path);
    return run([&](Catalog& catalog, const std::stop_token&) { return catalog.remove(at); });
  }

  py::list find(const py::dict& given) {
    CatalogQuery query = query_of(given);
    std::vector<CatalogBag> found;
    run([&](Catalog& catalog, const std::stop_token& stop) {
      catalog.find(query, [&](const CatalogBag& bag) {
        throw_if_stopped({stop, kNever});
        found.push_back(bag);
      });
    });
    py::list all;
    for (const CatalogBag& bag : found) all.append(dict_of(bag));
    return all;
  }

  std::uint64_t count(const py::dict& given) {
    CatalogQuery query = query_of(given);
    return run([&](Catalog& catalog, const std::stop_token&) { return catalog.count(query); });
  }

  py::tuple find_moments(const py::dict& given) {
    using namespace py::literals;
    CatalogQuery query = query_of(given);
    auto problems = std::make_shared<Problems>();
    ReadOptions read;
    read.on_problem = Problems::collector(problems);
    std::vector<Found> found;
    CatalogSearch search = run([&](Catalog& catalog, const std::stop_token& stop) {
      read.stop = stop;
      return catalog.find_moments(
          query, read,
          [&](const CatalogBag& bag, const Moment& moment) {
            found.push_back({bag.number, bag.paths.front(), bag.start, moment});
          },
          stop);
    });
    problems->warn();
    py::list moments;
    for (const Found& each : found) {
      moments.append(py::make_tuple(each.bag, str(each.path), to_ns(each.bag_start),
                                    str(each.moment.topic), to_ns(each.moment.start),
                                    to_ns(each.moment.end), each.moment.messages,
                                    str(each.moment.value)));
    }
    py::list failed;
    for (const Error& each : search.failed) failed.append(str(each.what()));
    return py::make_tuple(
        moments, py::dict("bags"_a = search.bags, "ruled_out"_a = search.ruled_out,
                          "opened"_a = search.opened, "changed"_a = search.changed,
                          "unknown_topics"_a = search.unknown_channels, "failed"_a = failed));
  }

  py::list topics() {
    auto found = run([](Catalog& catalog, const std::stop_token&) { return catalog.topics(); });
    py::list all;
    for (const auto& [topic, type] : found) all.append(py::make_tuple(str(topic), str(type)));
    return all;
  }

  py::object bag(py::handle path) {
    std::string at = utf8(path);
    auto found = run([&](Catalog& catalog, const std::stop_token&) { return catalog.bag_at(at); });
    return found ? py::object(dict_of(*found)) : py::none();
  }

  void set_tag(py::handle path, py::handle name, py::handle value) {
    std::string given[] = {utf8(path), utf8(name), utf8(value)};
    run([&](Catalog& catalog, const std::stop_token&) {
      catalog.set_tag(given[0], given[1], given[2]);
    });
  }

  void set_note(py::handle path, py::handle note) {
    std::string given[] = {utf8(path), utf8(note)};
    run([&](Catalog& catalog, const std::stop_token&) { catalog.set_note(given[0], given[1]); });
  }

  void add_event(py::handle path, std::int64_t start_ns, std::int64_t end_ns, py::handle name) {
    std::string at = utf8(path);
    CatalogEvent event{.start = from_ns(start_ns), .end = from_ns(end_ns), .name = utf8(name)};
    run([&](Catalog& catalog, const std::stop_token&) { catalog.add_event(at, event); });
  }

  /// Of several bags: (number, start, end).
  std::uint64_t add_events(
      const std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>>& given,
      py::handle name) {
    std::map<std::int64_t, std::vector<CatalogEvent>> events;
    std::string text = utf8(name);
    for (const auto& [bag, start_ns, end_ns] : given) {
      events[bag].push_back({.start = from_ns(start_ns), .end = from_ns(end_ns), .name = text});
    }
    return run([&](Catalog& catalog, const std::stop_token& stop) {
      std::uint64_t added = 0;
      for (const auto& [bag, of_bag] : events) {
        throw_if_stopped({stop, kNever});
        added += catalog.add_events(bag, of_bag);
      }
      return added;
    });
  }

  bool remove_event(std::int64_t number) {
    return run(
        [&](Catalog& catalog, const std::stop_token&) { return catalog.remove_event(number); });
  }

  py::list check() {
    std::vector<CatalogProblem> found;
    run([&](Catalog& catalog, const std::stop_token& stop) {
      catalog.check([&](const CatalogProblem& problem) { found.push_back(problem); },
                    {.stop = stop});
    });
    py::list all;
    for (const CatalogProblem& each : found) {
      all.append(py::make_tuple(str(each.path), str(each.what), each.is_missing));
    }
    return all;
  }

  py::list jobs() {
    auto found = run([&](Catalog&, const std::stop_token& stop) {
      return CatalogJobs(address_, session(), {stop, kNever}).list();
    });
    py::list all;
    for (const CatalogJob& each : found) all.append(job_tuple(each));
    return all;
  }

  py::list bad_bags(py::handle job) {
    std::string name = utf8(job);
    auto found = run([&](Catalog&, const std::stop_token& stop) {
      CatalogJobs jobs(address_, session(), {stop, kNever});
      return jobs.bad_bags(jobs.find(name).job);
    });
    py::list all;
    for (const BatchTask& each : found) all.append(bag_tuple(each));
    return all;
  }

  void close() {
    auto closed = std::move(catalog_);
    without_gil([&] {
      std::lock_guard lock(mutex_);
      closed.reset();
    });
  }

 private:
  static py::tuple tuple_of(const Scanned& each) {
    return py::make_tuple(
        str(each.path),
        each.change ? py::object(py::str(to_string(*each.change))) : py::object(py::str("failed")),
        str(each.error));
  }

  std::string address_;
  OfThisProcess<Catalog> catalog_;
  std::mutex mutex_;
  unsigned process_ = process_number();
};

}  // namespace

void add_catalogs(py::module_& module) {
  py::class_<CatalogHandle>(module, "_Catalog")
      .def(py::init<py::handle, bool>(), py::arg("address"), py::arg("creates"))
      .def("add", &CatalogHandle::add)
      .def("scan", &CatalogHandle::scan)
      .def("remove", &CatalogHandle::remove)
      .def("find", &CatalogHandle::find)
      .def("count", &CatalogHandle::count)
      .def("find_moments", &CatalogHandle::find_moments)
      .def("topics", &CatalogHandle::topics)
      .def("bag", &CatalogHandle::bag)
      .def("set_tag", &CatalogHandle::set_tag)
      .def("set_note", &CatalogHandle::set_note)
      .def("add_event", &CatalogHandle::add_event)
      .def("add_events", &CatalogHandle::add_events)
      .def("remove_event", &CatalogHandle::remove_event)
      .def("check", &CatalogHandle::check)
      .def("jobs", &CatalogHandle::jobs)
      .def("bad_bags", &CatalogHandle::bad_bags)
      .def("close", &CatalogHandle::close);
}

}  // namespace kitbag::python
