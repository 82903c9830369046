#include "kitbag/repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "flow/staged_writer.h"
#include "kitbag/open.h"
#include "kitbag/session.h"
#include "repair/keep_original.h"
#include "repair/read_back.h"
#include "storage/writing/pack_file.h"

// A repair reads like everybody else, with two differences: the index is not trusted, so the format
// scans for what is there, and damage is collected instead of thrown. What comes out is written by
// an ordinary writer, in the same format and, as far as it is known, compression.
//
// In place, the order is: lock, open again what is locked now, write a new file beside it, publish
// it in one step. Until then the damaged bag is untouched, and a repair that is interrupted leaves
// it so. What was written is read back before it is published. The lock goes to the staging, since
// the name changes hands at the end. A bag without damage is not replaced.
//
// If losses were found and not one message, nothing is written: an empty bag in place of a damaged
// one would destroy what a better tool may still save.
//
// A file that is compressed as a whole, as the files of a directory may be, is written plain in the
// hidden folder and compressed from there, if it is damaged at all.
//
// A directory is repaired file by file, each in place, then metadata.yaml is written from them. Its
// lock, which holds for the whole time, is shared with those who write files of their own to it.

namespace kitbag {
namespace {

/// The compression of most of the bytes of `bag`, according to its chunks.
std::string compression_of(const Bag& bag) {
  const std::string& of_messages = bag.summary().message_compression;
  if (!of_messages.empty()) return of_messages;
  std::map<std::string, std::uint64_t> bytes;
  for (const ChunkSummary& chunk : bag.chunks()) bytes[chunk.compression] += chunk.bytes;
  auto by_bytes = [](const auto& a, const auto& b) { return a.second < b.second; };
  auto most = std::max_element(bytes.begin(), bytes.end(), by_bytes);
  return most == bytes.end() ? "none" : most->first;
}

bool has_compression(const Format& format, const std::string& name) {
  return std::find(format.compressions.begin(), format.compressions.end(), name) !=
         format.compressions.end();
}

/// The options for the new bag, as like the damaged one as its format can be.
WriteOptions write_options(const RepairOptions& options, const Bag& bag, const Format* format) {
  WriteOptions write = options.write;
  if (write.member_format.empty()) write.member_format = bag.summary().member_format;
  write.compression = options.compression ? *options.compression : compression_of(bag);
  bool is_known = !format || has_compression(*format, write.compression);
  if (!options.compression && !is_known) write.compression = "none";
  const Summary& summary = bag.summary();
  if (summary.encryption.empty()) return write;
  write.gpg_key = summary.gpg_user.empty() ? "*" : summary.gpg_user;
  return write;
}

bool is_same_bag(const std::string& a, const std::string& b, const Session& session) {
  std::string first = session.path_of(a);
  std::string second = session.path_of(b);
  if (first == second) return true;
  auto there = session.file_system(first)->status(first);
  auto other = session.file_system(second)->status(second);
  return there && other && there->id == other->id && there->id != FileId();
}

[[noreturn]] void throw_nothing_to_save(const std::string& from, const Damage& damage) {
  const Error& first = damage.problems().front();
  throw Error(ErrorCode::corrupt,
              fmt::format("there is nothing to save: {}{}", first.message(),
                          damage.count() > 1 ? " (and more)" : ""),
              from, first.offset());
}

/// The format that the name of a file says, so that its first bytes may be damaged; "" if they say
/// another one.
std::string format_by_name(const Input& input, const Format* recognized, const Session& session) {
  const Format* named = format_of_name(session.registry(), input.path);
  bool is_bag = named && !named->is_container && (!recognized || recognized == named);
  return is_bag ? std::string(named->name) : std::string();
}

/// The format that is asked for, or that the name of the new bag says; else that of the bag.
std::string format_to_write(const std::string& asked, const std::string& place, const Bag& bag,
                            const Session& session) {
  if (!asked.empty()) return asked;
  const Format* named = place.empty() ? nullptr : format_of_name(session.registry(), place);
  return named ? std::string(named->name) : bag.summary().format;
}

/// Repairs, in place, each bag of one that holds others, and then its metadata.
Repaired repair_parts(const Input& input, const Format& format, const RepairOptions& options,
                      const Session& session, const std::stop_token& stop) {
  // Others may write to files of their own meanwhile (join_to()); those that are being written
  // stay.
  auto lock = input.files->lock(input.path, LockKind::shared, options.write.on_warning);
  Repaired all;
  auto take = [&](const Error& problem) {
    if (all.damage.add(problem) && options.on_problem) options.on_problem(problem);
  };
  // A part that was cut off looks complete when it is repaired. What it lacks is known before.
  std::vector<Error> before;
  ReadOptions looking = options.read;
  looking.on_problem = [&](const Error& problem) { before.push_back(problem); };
  format.open(input, looking, session)->extras();  // of each part
  std::set<std::string> with_loss;
  RepairOptions of_part = options;
  of_part.write.format.clear();
  of_part.on_problem = [&](const Error& problem) {
    if (problem.loss()) with_loss.insert(problem.file());
    take(problem);
  };
  for (const std::string& path : format.parts(input, session)) {
    Repaired one;
    try {
      one = repair(path, path, of_part, session, stop);
    } catch (const Error& error) {
      if (is_damage(error.code())) {  // nothing can be saved of it; the others are repaired
        with_loss.insert(path);
        take(Error(error.code(), error.message(), path, error.offset(),
                   error.loss().value_or(Loss{})));
        continue;
      }
      if (error.code() != ErrorCode::busy) throw;
      if (options.on_problem) {
        options.on_problem(Error(ErrorCode::remark,
                                 "is being written by another program, and stays as it is", path));
      }
      continue;
    }
    all.totals.messages += one.totals.messages;
    all.totals.bytes += one.totals.bytes;
    all.is_written |= one.is_written;
  }
  for (const Error& problem : before) {
    if (problem.loss() && !with_loss.contains(problem.file())) take(problem);
  }
  ReadOptions reading = options.read;
  reading.trust_index = false;
  reading.on_problem = take;
  all.is_written |= format.rebuild_index(input, reading, session);
  reading.on_problem = [](const Error&) {};
  all.channels = format.open(input, reading, session)->channels();
  return all;
}

}  // namespace

Repaired repair(const std::string& from, const std::string& to, const RepairOptions& options,
                const Session& session, const std::stop_token& stop) {
  Input input = session.input_at(session.path_of(from));
  if (input.file && input.file->is_forward_only()) {
    throw Error(ErrorCode::invalid, "a pipe cannot be repaired; save the bag to a file first",
                input.path);
  }
  const Format* holder = match_format(session.registry(), input);
  if (holder && holder->parts && is_same_bag(from, to, session)) {
    if (options.keeps_original) {
      throw Error(ErrorCode::unsupported, "the original of a directory cannot be kept", input.path);
    }
    return repair_parts(input, *holder, options, session, stop);
  }
  std::shared_ptr<Staging> staged;
  std::string place = to;
  if (is_same_bag(from, to, session) && input.file && !input.file->is_forward_only()) {
    std::string path = session.path_of(to);
    const OnWarning& on_warning = options.write.on_warning;
    auto lock = input.files->lock(path, LockKind::exclusive, on_warning);
    input = session.input_at(session.path_of(from));  // what is locked, whatever was there before
    staged = input.files->stage(path, on_warning);
    place = staged->place_instead(path, std::move(lock));
  }
  Repaired result;
  bool is_held = true;
  ReadOptions reading = options.read;
  reading.trust_index = false;
  reading.on_problem = [&](const Error& problem) {
    if (result.damage.add(problem) && options.on_problem) options.on_problem(problem);
    // Nothing is missing, but the new bag would say something else.
    is_held &= problem.code() != ErrorCode::unsupported || !problem.loss() ||
               problem.loss()->bytes > 0 || problem.loss()->messages != 0U;
  };
  if (reading.format.empty()) reading.format = format_by_name(input, holder, session);
  BagPtr bag = session.open(from, reading);
  std::string name = format_to_write(options.write.format, staged ? "" : place, *bag, session);
  WriteOptions write = write_options(options, *bag, find_format(session.registry(), name));
  write.format = name;
  if (staged) write.may_replace = true;  // where nothing is hidden, it is written in its place
  bool is_packed = staged && !bag->summary().whole_file_compression.empty();
  std::string written = is_packed ? place + ".plain" : place;
  auto make = [&](const WriteOptions& with) { return session.create(written, with); };
  auto writer = staged ? staged_writer(staged, write, make) : make(write);

  Query query;
  // As they are stored: nothing has to be sorted, and the times of a damaged bag may be wrong.
  query.order = Order::file;
  auto source = bag->read(query);
  if (options.through) source = options.through(std::move(source), *bag);
  result.totals = run(*source, *writer, *session.clock(), stop);
  result.channels = source->channels();
  if (stop.stop_requested()) {
    throw Error(ErrorCode::cancelled, "interrupted; nothing was changed", to);
  }
  if (result.totals.messages == 0 && result.damage.losses() > 0) {
    throw_nothing_to_save(from, result.damage);
  }
  if (result.damage.count() == 0 && staged) return result;
  if (staged && !is_held) {
    throw Error(ErrorCode::unsupported,
                "has what cannot be written as it is, so it is not replaced; repair it to another "
                "name",
                to);
  }
  // In an object store the new bag is written under its own name, as it appears when it is
  // complete.
  bool is_hidden = staged && place != session.path_of(to);
  bool can_pack = is_hidden && bag->summary().whole_file_compression == kPacking;
  if (is_packed && !can_pack) {
    throw Error(ErrorCode::unsupported,
                fmt::format("the bag is compressed as a whole with {}, and is not replaced here; "
                            "repair it to another name",
                            bag->summary().whole_file_compression),
                to);
  }
  std::optional<EarlyOriginal> original;
  bool is_kept = staged && options.keeps_original;
  if (is_kept && !is_hidden) original.emplace(session.path_of(to), session);
  writer->close();
  writer.reset();
  if (is_packed) {
    pack_file(*input.files, written, place);
    input.files->remove(written);
  }
  if (is_hidden) {
    reading.format = is_packed ? "" : write.format;
    read_back(place, session.path_of(to), result.totals.messages, reading, session);
  }
  if (original) original->keep();
  if (is_kept && is_hidden) keep_original(session.path_of(to), session);
  if (staged) staged->publish();
  result.is_written = true;
  return result;
}

}  // namespace kitbag
