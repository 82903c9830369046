#include <cmath>

#include "kitbag/transforms.h"

// Transforms are a translation and a unit quaternion (x, y, z, w), in the order of ROS. A
// quaternion and its negative are the same rotation, so slerp negates one if the two are on
// different sides, or it would turn the long way round.

namespace kitbag {

namespace {

using Vector = std::array<double, 3>;
using Quaternion = std::array<double, 4>;

Quaternion product(const Quaternion& a, const Quaternion& b) {
  return {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
          a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
          a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
          a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
}

Quaternion conjugate(const Quaternion& q) {
  return {-q[0], -q[1], -q[2], q[3]};
}

Vector rotated(const Quaternion& by, const Vector& point) {
  Quaternion all = product(product(by, {point[0], point[1], point[2], 0}), conjugate(by));
  return {all[0], all[1], all[2]};
}

double dot(const Quaternion& a, const Quaternion& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

Quaternion slerp(const Quaternion& from, Quaternion to, double share) {
  double cosine = dot(from, to);
  if (cosine < 0) {
    for (double& each : to) each = -each;
    cosine = -cosine;
  }
  double first = 1 - share;
  double second = share;
  constexpr double kNearlyEqual = 1 - 1e-9;  // the sine is too small to divide by
  if (cosine < kNearlyEqual) {
    double angle = std::acos(cosine);
    first = std::sin(first * angle) / std::sin(angle);
    second = std::sin(second * angle) / std::sin(angle);
  }
  Quaternion all;
  for (std::size_t i = 0; i < 4; ++i) all[i] = first * from[i] + second * to[i];
  double length = std::sqrt(dot(all, all));
  for (double& each : all) each /= length;
  return all;
}

}  // namespace

Transform operator*(const Transform& second, const Transform& first) {
  Transform all;
  all.translation = rotated(second.rotation, first.translation);
  for (std::size_t i = 0; i < 3; ++i) all.translation[i] += second.translation[i];
  all.rotation = product(second.rotation, first.rotation);
  return all;
}

Transform inverse(const Transform& transform) {
  Transform all;
  all.rotation = conjugate(transform.rotation);
  all.translation = rotated(all.rotation, transform.translation);
  for (double& each : all.translation) each = -each;
  return all;
}

Transform interpolate(const Transform& from, const Transform& to, double share) {
  Transform all;
  for (std::size_t i = 0; i < 3; ++i) {
    all.translation[i] = from.translation[i] + (to.translation[i] - from.translation[i]) * share;
  }
  all.rotation = slerp(from.rotation, to.rotation, share);
  return all;
}

}  // namespace kitbag
