#include "kitbag/transforms.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bag.h"
#include "transforms.h"

// Times come as a buffer of int64 and leave as a buffer of float64, which the package makes arrays
// of. The library reads transforms around the times that it is asked for, so it is asked in their
// order, whatever the order of the program is.

namespace kitbag::python {

namespace {

constexpr std::size_t kNumbers = 7;  // x, y, z, qx, qy, qz, qw

/// The transforms of the bags behind one kitbag.Bag. Threads take turns.
class BagTransforms {
 public:
  explicit BagTransforms(std::shared_ptr<const Bags> bags)
      : bags_(std::move(bags)),
        transforms_(new Transforms(bags_->all(), session(),
                                   {.on_error = OnError::skip, .report = &report_})) {}

  /// Rows of numbers, one for each time. What is not found is NaN or, if `is_strict`, an Error; so
  /// is a frame that is not known at any of the times.
  py::bytearray lookup(const std::string& target, const std::string& source,
                       const py::buffer& times_ns, bool is_strict) {
    py::buffer_info given = times_ns.request();
    bool fits = given.ndim == 1 && given.itemsize == sizeof(std::int64_t) &&
                given.strides[0] == given.itemsize;
    if (!fits) throw py::type_error("times are a buffer of int64");
    std::span<const std::int64_t> times(static_cast<const std::int64_t*>(given.ptr),
                                        static_cast<std::size_t>(given.size));
    std::vector<double> rows(times.size() * kNumbers);
    TranscodeReport report;
    interruptibly([&](const std::stop_token& stop) {
      std::lock_guard lock(mutex_);
      find(target, source, times, is_strict, rows, {stop, kNever});
      report = std::exchange(report_, {});
    });
    bags_->problems()->warn();
    warn_of_losses(report);
    return {reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(double)};
  }

 private:
  void find(const std::string& target, const std::string& source,
            std::span<const std::int64_t> times, bool is_strict, std::span<double> rows,
            const Wait& wait) {
    using Outcome = TransformLookup::Outcome;
    std::vector<std::size_t> order(times.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return times[a] < times[b]; });
    std::optional<TransformLookup> unknown;
    bool are_known = false;
    for (std::size_t i : order) {
      throw_if_stopped(wait);
      TransformLookup found = transforms_->find(target, source, from_ns(times[i]), wait);
      auto row = rows.subspan(i * kNumbers, kNumbers);
      if (found.outcome == Outcome::found) {
        are_known = true;
        auto rest = std::copy_n(found.transform.translation.begin(), 3, row.begin());
        std::copy_n(found.transform.rotation.begin(), 4, rest);
        continue;
      }
      if (is_strict) throw Error(ErrorCode::not_found, found.reason);
      std::fill(row.begin(), row.end(), std::numeric_limits<double>::quiet_NaN());
      are_known |= found.outcome != Outcome::unknown_frame;
      if (!unknown && found.outcome == Outcome::unknown_frame) unknown = std::move(found);
    }
    if (!are_known && unknown) throw Error(ErrorCode::not_found, unknown->reason);
  }

  std::shared_ptr<const Bags> bags_;
  std::mutex mutex_;
  TranscodeReport report_;
  OfThisProcess<Transforms> transforms_;
};

}  // namespace

void add_transforms(py::module_& module) {
  py::class_<BagTransforms>(module, "_Transforms")
      .def(py::init([](const std::shared_ptr<Bags>& bags) {
             return std::make_unique<BagTransforms>(bags);
           }),
           py::arg("bags"))
      .def("lookup", &BagTransforms::lookup, py::arg("target"), py::arg("source"),
           py::arg("times_ns"), py::arg("is_strict"));
}

}  // namespace kitbag::python
