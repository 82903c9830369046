// Writes structs of its own as messages, and reads them back: structs TARGET ENCODING.

#include <kitbag/kitbag.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

struct Wheel {
  std::string name;
  double speed = 0;
};

struct Status {
  kitbag::Time stamp{};
  std::vector<Wheel> wheels;
  std::vector<float> ranges;
};

template <>
struct kitbag::Describe<Wheel> {
  static constexpr std::string_view name = "robot_msgs/Wheel";
  static constexpr std::tuple fields{Member{"name", &Wheel::name}, Member{"speed", &Wheel::speed}};
};

template <>
struct kitbag::Describe<Status> {
  static constexpr std::string_view name = "robot_msgs/Status";
  static constexpr std::tuple fields{Member{"stamp", &Status::stamp},
                                     Member{"wheels", &Status::wheels},
                                     Member{"ranges", &Status::ranges}};
};

static void write(const kitbag::Session& session, const char* path, const char* encoding) {
  kitbag::StructWriter writer(session.create(path), encoding, session);
  for (int i = 0; i < 100; ++i) {
    auto time = kitbag::from_ns(1'700'000'000'000'000'000) + std::chrono::milliseconds(10 * i);
    Status status{time, {{"left", std::sin(0.1 * i)}, {"right", std::cos(0.1 * i)}}, {1, 2, 3}};
    writer.write("/status", time, status);
  }
  writer.close();
}

static void read(const kitbag::Session& session, const char* path) {
  double sum = 0;
  auto bag = session.open(path);
  for (const kitbag::Message& m : bag->messages({.topics = {"/status"}})) {
    sum += m.field<double>("wheels[0].speed");
  }
  std::printf("sum of speeds: %.3f\n", sum);

  kitbag::FieldReader<std::span<const float>> ranges("ranges");
  std::size_t numbers = 0;
  for (const kitbag::Message& m : bag->messages()) numbers += ranges(m).size();
  std::printf("ranges: %zu\n", numbers);

  for (const kitbag::Message& m : bag->messages({.nth = 99})) {
    Status last = m.as<Status>();
    std::printf("last: %s %.3f\n", last.wheels[1].name.c_str(), last.wheels[1].speed);
    try {
      m.field<double>("wheels[0].sped");
    } catch (const kitbag::Error& error) {
      std::puts(error.what());
    }
  }
}

int main(int count, char** arguments) try {
  if (count != 3) return 2;
  kitbag::Session session;
  write(session, arguments[1], arguments[2]);
  read(session, arguments[1]);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
