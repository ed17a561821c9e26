#include "probe/probe.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "base/limits.h"
#include "base/sys.h"
#include "base/text.h"
#include "probe/host.h"
#include "vt/restore.h"
#include "vt/snapshot.h"

namespace holdfast::probe {
namespace {

// What may be fed at once: recordings are far smaller, and all of it is held in memory.
constexpr std::size_t kInputBytesMax = 1u << 30;
// Answers kept for the canonical object.
constexpr std::size_t kResponseBytesMax = 1u << 20;

class Responses : public vt::Sink {
 public:
  void reply(std::uint64_t, std::string_view bytes) override {
    if (text.size() + bytes.size() <= kResponseBytesMax) text += bytes;
  }
  void event(std::uint64_t, const vt::Event&) override {}
  std::string text;
};

// Not through /dev/stdin, which cannot be opened where standard input is a socket.
Result<std::string> read_standard_input() {
  std::string bytes;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = read(STDIN_FILENO, buffer, sizeof buffer);
    if (n == 0) return bytes;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno("read standard input", errno);
    if (bytes.size() + static_cast<std::size_t>(n) > kInputBytesMax) {
      return fail(ErrorKind::failed, "read standard input",
                  "it is longer than " + std::to_string(kInputBytesMax) + " bytes");
    }
    bytes.append(buffer, static_cast<std::size_t>(n));
  }
}

Result<std::string> read_input(const std::string& file) {
  return file.empty() || file == "-" ? read_standard_input() : sys::read_file(file, kInputBytesMax);
}

std::unexpected<Error> broken_frame(std::size_t at) {
  return fail(ErrorKind::usage, "read the case frames on standard input", "broken frame at byte " + std::to_string(at),
              "frames are as tests/oracles/canon.mjs writes them");
}

// Little-endian numbers of a frame.
std::uint32_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << 8 * i;
  }
  return value;
}

class Case {
 public:
  Case(const Options& options, std::uint16_t cols, std::uint16_t rows, std::uint32_t scrollback)
      : options_(options), terminal_(make_terminal(options, cols, rows, scrollback)) {}

  void feed(std::string_view bytes) { terminal_.feed(bytes, responses_); }
  void resize(std::uint16_t cols, std::uint16_t rows) { terminal_.resize({cols, rows}, responses_); }

  Json object() {
    vt::State& state = terminal_.mutable_state();
    Json j = vt::canonical(state, responses_.text);
    if (options_.restore) {
      vt::RestoreOptions how;
      how.fence = false;
      how.onto = vt::Onto::anything;
      std::string bytes;
      vt::write_restore(state, how, bytes);
      j.set("restore", base64(bytes)).set("snapshot", base64(vt::encode_snapshot(state)));
    }
    return j;
  }

  // What is printed for the state now.
  Result<std::string> output() {
    if (!options_.format) return object().dump() + "\n";
    vt::ReadOptions how;
    how.format = *options_.format;
    how.all = true;
    return vt::read_text(terminal_.mutable_state(), how);
  }

 private:
  const Options& options_;
  vt::Terminal terminal_;
  Responses responses_;
};

Result<> run_file(const Options& options) {
  const std::string bytes = TRY(read_input(options.file));
  Case c(options, options.cols, options.rows, options.scrollback);
  std::vector<Resize> resizes;  // by offset; equal ones in the order they were given
  for (const Resize& resize : options.resizes) {
    resizes.insert(std::ranges::upper_bound(resizes, resize.at, {}, &Resize::at), resize);
  }
  std::size_t at = 0;
  for (const Resize& resize : resizes) {
    const std::size_t end = static_cast<std::size_t>(std::min<std::uint64_t>(resize.at, bytes.size()));
    c.feed(std::string_view(bytes).substr(at, end - at));
    c.resize(resize.cols, resize.rows);
    at = end;
  }
  c.feed(std::string_view(bytes).substr(at));
  return sys::write_all(STDOUT_FILENO, TRY(c.output()));
}

// The steps of a frame.
enum Step : char { kFeed = 0, kResize = 1, kSnapshotHere = 2 };

// One frame without its length: size, scrollback, then steps.
Result<std::string> run_frame(const Options& options, std::string_view frame, std::size_t offset) {
  constexpr std::size_t kHead = 8, kStepHead = 5;
  if (frame.size() < kHead) return broken_frame(offset);
  Case c(options, static_cast<std::uint16_t>(number_at(frame, 0, 2)),
         static_cast<std::uint16_t>(number_at(frame, 2, 2)), number_at(frame, 4, 4));
  std::vector<std::string> outputs;
  for (std::size_t at = kHead; at < frame.size();) {
    if (frame.size() - at < kStepHead) return broken_frame(offset + at);
    const char type = frame[at];
    const std::size_t size = number_at(frame, at + 1, 4);
    if (size > frame.size() - at - kStepHead) return broken_frame(offset + at);
    const std::string_view body = frame.substr(at + kStepHead, size);
    if (type == kFeed) {
      c.feed(body);
    } else if (type == kResize && size == 4) {
      c.resize(static_cast<std::uint16_t>(number_at(body, 0, 2)), static_cast<std::uint16_t>(number_at(body, 2, 2)));
    } else if (type == kSnapshotHere) {
      outputs.push_back(TRY(c.output()));
    } else {
      return broken_frame(offset + at);
    }
    at += kStepHead + size;
  }
  if (outputs.empty() || options.format) {
    std::string all;
    for (const std::string& output : outputs) all += output;
    return all + TRY(c.output());
  }
  outputs.push_back(TRY(c.output()));
  std::string array;
  for (const std::string& output : outputs) {
    array += array.empty() ? "[" : ",";
    array += std::string_view(output).substr(0, output.size() - 1);  // without its line end
  }
  return array + "]\n";
}

Result<> run_stream(const Options& options) {
  const std::string input = TRY(read_input(""));
  for (std::size_t at = 0; at < input.size();) {
    if (input.size() - at < 4) return broken_frame(at);
    const std::size_t size = number_at(input, at, 4);
    if (size > input.size() - at - 4) return broken_frame(at);
    TRY(sys::write_all(STDOUT_FILENO, TRY(run_frame(options, std::string_view(input).substr(at + 4, size), at + 4))));
    at += 4 + size;
  }
  return {};
}

}  // namespace

vt::Terminal make_terminal(const Options& options, std::uint16_t cols, std::uint16_t rows, std::uint32_t scrollback) {
  vt::Terminal terminal({.size = {cols, rows}, .history = {.rows = scrollback}, .profile = options.profile});
  vt::ClientProfile client;
  if (options.profile == vt::Profile::xterm) {
    client.name = "XTerm", client.version = "390", client.term = "xterm-256color";
    client.foreground = client.cursor = 0x000000, client.background = 0xffffff, client.dark = false;
  }
  client.resizes = options.is_resizable || !options.host.empty();
  client.reports_titles = options.title_reports;
  client.plain_checksums = options.plain_checksums;
  terminal.set_client_profile(client);
  if (options.graphemes) terminal.mutable_state().modes.set(vt::Mode::grapheme_clusters, *options.graphemes);
  return terminal;
}

Result<Resize> parse_resize(const std::string& text) {
  Resize resize{0, 0, UINT64_MAX};
  const char* const end = text.data() + text.size();
  const auto [x, cols_error] = std::from_chars(text.data(), end, resize.cols);
  bool good = cols_error == std::errc{} && x != end && *x == 'x';
  if (good) {
    const auto [at, rows_error] = std::from_chars(x + 1, end, resize.rows);
    good = rows_error == std::errc{} && (at == end || *at == '@');
    if (good && at != end) {
      const auto [rest, error] = std::from_chars(at + 1, end, resize.at);
      good = error == std::errc{} && rest == end;
    }
  }
  if (!good || resize.cols == 0 || resize.rows == 0) {
    return fail(ErrorKind::usage, "take '" + text + "' for a resize",
                "it is not of the form COLSxROWS or COLSxROWS@OFFSET", "for example 120x40@512");
  }
  return resize;
}

Result<int> run(const Options& options) {
  if (!options.host.empty()) return run_host(options);
  if (options.stream)
    TRY(run_stream(options));
  else
    TRY(run_file(options));
  return 0;
}

}  // namespace holdfast::probe
