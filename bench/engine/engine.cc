// The engine alone, timed in its own CPU time: engine_bench parse FILE | memory | restore | resize. Prints one JSON object.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>

#include "vt/restore.h"
#include "vt/snapshot.h"
#include "vt/terminal.h"

namespace {

using namespace holdfast::vt;

constexpr std::size_t kChunk = 64u << 10;  // bytes fed at once, as VTD does
constexpr std::size_t kWarmUp = 256u << 10;
constexpr double kMiB = 1 << 20;

struct Silence : Sink {
  void reply(std::uint64_t, std::string_view) override {}
  void event(std::uint64_t, const Event&) override {}
};

// Seconds of this process's CPU time.
double now() {
  timespec time;
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

template <typename F>
double seconds(F&& f) {
  const double start = now();
  f();
  return now() - start;
}

Terminal terminal(std::uint16_t cols, std::uint16_t rows, std::uint32_t history_rows = 10'000) {
  Options options;
  options.size = {cols, rows, 0, 0};
  options.history.rows = history_rows;
  return Terminal(options);
}

void feed(Terminal& terminal, std::string_view bytes) {
  Silence silence;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kChunk))) {
    terminal.feed(bytes.substr(0, kChunk), silence);
  }
}

void parse(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  Terminal warm = terminal(120, 40);
  feed(warm, std::string_view(bytes).substr(0, kWarmUp));
  Terminal cold = terminal(120, 40);
  const double took = seconds([&] { feed(cold, bytes); });
  std::printf("{\"mib_s\": %.2f}\n", static_cast<double>(bytes.size()) / kMiB / took);
}

std::string plain_line() { return std::string(50, 'x') + "\r\n"; }

// Thirty spans of three characters, each in a colour of its own.
std::string colour_line(int number) {
  std::string line;
  for (int i = 0; i < 30; ++i) {
    line += "\x1b[38;2;" + std::to_string(number % 256) + ";" + std::to_string(i * 8) + ";" + std::to_string((number + i) % 256) + "mabc";
  }
  return line + "\x1b[0m\r\n";
}

template <typename Line>
void fill(Terminal& to, int lines, Line&& line) {
  for (int i = 0; i < lines; ++i) feed(to, line(i));
}

// Bytes that the history holds for a line.
void memory() {
  constexpr int kLines = 10'000;
  Terminal plain = terminal(120, 40), colours = terminal(120, 40);
  fill(plain, kLines + 40, [](int) { return plain_line(); });
  fill(colours, kLines + 40, colour_line);
  const auto line = [](Terminal& t) {
    const History& history = t.state().history;
    return static_cast<double>(history.bytes()) / static_cast<double>(history.lines());
  };
  std::printf("{\"plain_bytes\": %.1f, \"colour_bytes\": %.1f, \"plain_10000_mib\": %.3f}\n", line(plain), line(colours),
              static_cast<double>(plain.state().history.bytes()) / kMiB);
}

// 200x60 with 10,000 lines of history.
void restore() {
  Terminal from = terminal(200, 60);
  fill(from, 10'060, [](int i) { return i % 10 == 0 ? colour_line(i) : std::string(150, static_cast<char>('a' + i % 26)) + "\r\n"; });
  std::string snapshot, restored;
  const double encoding = seconds([&] { snapshot = encode_snapshot(from.state()); });
  const double decoding = seconds([&] {
    if (!decode_snapshot(snapshot)) std::abort();
  });
  const double writing = seconds([&] { write_restore(from.mutable_state(), {}, restored); });
  std::printf("{\"encode_ms\": %.3f, \"decode_ms\": %.3f, \"restore_ms\": %.3f, \"snapshot_mib\": %.2f, \"restore_mib\": %.2f}\n",
              encoding * 1e3, decoding * 1e3, writing * 1e3, static_cast<double>(snapshot.size()) / kMiB,
              static_cast<double>(restored.size()) / kMiB);
}

// 200 to 100 columns with 100,000 lines of history.
void resize() {
  Terminal wide = terminal(200, 60, 100'000);
  fill(wide, 100'060, [](int i) { return std::string(static_cast<std::size_t>(150 + i % 50), 'x') + "\r\n"; });
  Silence silence;
  const double took = seconds([&] { wide.resize({100, 60, 0, 0}, silence); });
  std::printf("{\"resize_ms\": %.3f, \"lines\": %zu}\n", took * 1e3, wide.state().history.lines());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "parse" && argc == 3) return parse(argv[2]), 0;
  if (what == "memory") return memory(), 0;
  if (what == "restore") return restore(), 0;
  if (what == "resize") return resize(), 0;
  std::fprintf(stderr, "usage: engine_bench parse FILE | memory | restore | resize\n");
  return 2;
}
