#include "vt/parser.h"

#include <algorithm>
#include <cstring>

#include "vt/utf8.h"

namespace holdfast::vt {
namespace {

constexpr char kEscape = 0x1b, kCancel = 0x18, kSubstitute = 0x1a, kDelete = 0x7f, kBell = 0x07;
constexpr char kC1StringTerminator = static_cast<char>(0x9c);
constexpr unsigned kParameterMax = 0xffff;
// Control sequences beyond this length are no ordinary ones: the state machine takes them.
constexpr std::ptrdiff_t kFastSequenceBytesMax = 256;
constexpr std::size_t kDcsBytesMax = 64u << 10;
// Fewer bytes hold hardly more lines than a screen.
constexpr std::size_t kPassingBytesMin = 2048;
// The most line feeds without a try.
constexpr int kUntriedMax = 63;
// What an unfinished sequence may leave allocated once it is over.
constexpr std::size_t kContinuationIdleBytes = 4096;

constexpr bool is_between(char c, char first, char last) { return c >= first && c <= last; }
constexpr bool is_final(char c) { return is_between(c, 0x40, 0x7e); }
constexpr bool is_intermediate(char c) { return is_between(c, 0x20, 0x2f); }
constexpr bool is_prefix(char c) { return is_between(c, 0x3c, 0x3f); }
constexpr bool is_high(char c) { return static_cast<unsigned char>(c) >= 0x80; }

void add_parameter(Sequence& seq, unsigned value) {
  if (seq.count < Sequence::kParamsMax) seq.params[seq.count++] = static_cast<std::uint16_t>(value);
}

void add_separator(Sequence& seq, unsigned value, char separator) {
  add_parameter(seq, value);
  if (separator == ':' && seq.count < Sequence::kParamsMax) seq.colons |= 1u << seq.count;
}

// Before it lie all lines but a screenful at the end.
const char* passing_end(std::string_view bytes, int rows) {
  if (bytes.size() < kPassingBytesMin) return bytes.data();
  std::size_t end = bytes.size();
  for (; rows > 0; --rows) {
    const void* line_feed = ::memrchr(bytes.data(), '\n', end);
    if (!line_feed) return bytes.data();
    end = static_cast<std::size_t>(static_cast<const char*>(line_feed) - bytes.data());
  }
  return bytes.data() + end;
}

void clear(Sequence& seq) {
  seq.colons = 0;
  seq.count = 0;
  seq.prefix = seq.intermediates[0] = seq.intermediates[1] = seq.final = 0;
}

}  // namespace

void Parser::feed(std::string_view bytes) {
  start_ = kept_from_ = bytes.data();
  end_ = start_ + bytes.size();
  start_offset_ = terminal_.offset;
  pass_until_ = passing_end(bytes, terminal_.size.rows);
  for (const char* p = start_; p < end_;) p = in_ == In::ground ? ground(p) : step(p);
  to_.editor().settle();
  terminal_.offset = start_offset_ + bytes.size();
  keep_unfinished();
}

void Parser::resume() {
  const std::string unfinished = std::move(terminal_.continuation);
  const std::uint64_t offset = terminal_.offset;
  terminal_.continuation.clear();
  in_ = In::ground;
  feed(unfinished);
  terminal_.offset = offset;
}

// Reads one that lies whole in the bytes at hand, and no other. Hands it and its end on; returns what that returns, or null.
template <typename Then>
[[gnu::always_inline]] inline const char* Parser::read_control_sequence(const char* p, Then&& then) {
  if (end_ - p < 3 || p[1] != '[') return nullptr;
  const char* const stop = p + std::min(end_ - p, kFastSequenceBytesMax);
  p += 2;
  clear(seq_);
  if (is_prefix(*p)) seq_.prefix = *p++;
  unsigned value = 0;
  bool has_parameters = false;
  for (; p < stop; ++p) {
    for (; is_between(*p, '0', '9'); has_parameters = true) {
      value = std::min(value * 10 + static_cast<unsigned>(*p - '0'), kParameterMax);
      if (++p == stop) return nullptr;
    }
    const char c = *p;
    if (c == ';' || c == ':') {
      add_separator(seq_, value, c);
      value = 0;
      has_parameters = true;
    } else if (is_final(c)) {
      if (has_parameters) add_parameter(seq_, value);
      seq_.final = c;
      return then(p + 1);
    } else {
      return nullptr;
    }
  }
  return nullptr;
}

[[gnu::always_inline]] inline void Parser::control(char c) {
  if (c != '\n' && c != '\r' && c != '\t') to_.editor().settle();
  to_.control(static_cast<unsigned char>(c));
}

const char* Parser::control_sequence(const char* p) {
  return read_control_sequence(p, [this](const char* after) {
    set_offset(after);
    to_.csi(seq_);
    return after;
  });
}

const char* Parser::ground(const char* p) {
  Editor& editor = to_.editor();
  while (p < end_) {
    const char c = *p;
    if (is_high(c)) {
      p = terminal_.utf8 ? text(p) : latin1(p);
      if (in_ != In::ground) return p;
    } else if (c >= 0x20) {
      if (c == kDelete) {
        editor.print(0x7f);
        ++p;
        continue;
      }
      const std::size_t n = kernels_.printable_run(p, static_cast<std::size_t>(end_ - p));
      editor.print_ascii(p, n);
      p += n;
    } else if (c == kEscape) {
      if (const char* after = control_sequence(p)) {
        p = after;
        continue;
      }
      begin_sequence(p, In::escape);
      return p + 1;
    } else {
      set_offset(++p);
      control(c);
      if (c == '\n' && p < pass_until_) p = pass_lines(p);
    }
  }
  return p;
}

// Text that is not all ASCII: from a byte above 0x7f on.
const char* Parser::text(const char* p) {
  Editor& editor = to_.editor();
  while (p < end_) {
    p = editor.print_utf8(p, end_);
    if (p == end_ || !is_high(*p)) return p;
    const Decoded next = decode_utf8(p, static_cast<std::size_t>(end_ - p));
    if (next.is_incomplete) {
      begin_sequence(p, In::utf8);
      return end_;
    }
    editor.print(next.cp);
    p += next.length;
  }
  return p;
}

// Bytes from 0x80 on when UTF-8 is off: C1 controls, which are ESC and the byte less 0x40, and Latin-1.
const char* Parser::latin1(const char* p) {
  const auto c = static_cast<unsigned char>(*p);
  if (c >= 0xa0) {
    to_.editor().print(c);
    return p + 1;
  }
  begin_sequence(p, In::escape);
  set_offset(p + 1);
  step_escape(static_cast<char>(c - 0x40));
  return p + 1;
}

// From the start of a line on.
const char* Parser::pass_lines(const char* p) {
  if (untried_ > 0) {
    --untried_;
    return p;
  }
  Editor& editor = to_.editor();
  if (!editor.begin_passing()) return p;
  for (bool goes_on = true; goes_on && p < pass_until_;) {
    const char* const after = pass_line(p);
    if (after) {
      untried_next_ = 0;
      p = after;
      goes_on = editor.end_passing_line();
    } else {
      editor.drop_passing_line();
      untried_ = untried_next_ = std::min(untried_next_ * 2 + 1, kUntriedMax);
      goes_on = false;
    }
  }
  editor.end_passing();
  return p;
}

const char* Parser::pass_line(const char* p) {
  Editor& editor = to_.editor();
  editor.begin_passing_line();
  for (;;) {  // a line feed lies before the end of the bytes
    const char c = *p;
    if (is_high(c)) {
      p = editor.pass_utf8(p, end_);
    } else if (c >= 0x20) {
      const std::size_t n = kernels_.printable_run(p, static_cast<std::size_t>(end_ - p));
      p = n > 0 && editor.pass_ascii({p, n}) ? p + n : nullptr;
    } else if (c == '\r') {
      return p[1] == '\n' ? p + 2 : nullptr;
    } else if (c == kEscape) {
      p = pass_control_sequence(p);
    } else {
      p = c == '\t' && editor.pass_tab() ? p + 1 : nullptr;
    }
    if (!p) return nullptr;
  }
}

const char* Parser::pass_control_sequence(const char* p) {
  return read_control_sequence(p, [this](const char* after) -> const char* {
    Editor& editor = to_.editor();
    if (seq_.is_sgr()) {
      editor.save_passing_pen();
      to_.csi(seq_);
      editor.take_passing_pen();
      return after;
    }
    const bool erases_to_end = seq_.final == 'K' && seq_.prefix == 0 && seq_.value_at(0) == 0;
    return erases_to_end && editor.pass_erase_to_end() ? after : nullptr;
  });
}

// From here on: the state machine.

const char* Parser::step(const char* p) {
  if (in_ == In::utf8) return step_utf8(p);
  if (in_ == In::string) return step_string(p);
  if (in_ == In::string_escape) return step_string_escape(p);
  const char c = *p;
  if (is_high(c)) {  // no control function has such a byte: what came before was none
    in_ = In::ground;
    return p;
  }
  if (c == kEscape) {
    begin_sequence(p, In::escape);
  } else if (c == kCancel || c == kSubstitute) {
    in_ = In::ground;
  } else if (c < 0x20) {
    execute(p);
  } else if (c == kDelete) {
    drop_byte(p);
  } else {
    set_offset(p + 1);
    const bool is_too_long = is_final(c) && sequence_bytes(p) > State::kContinuationBytesMax;
    if (is_too_long) {
      in_ = In::ground;
    } else if (in_ == In::escape || in_ == In::escape_intermediate) {
      step_escape(c);
    } else if (in_ == In::csi) {
      step_csi(c);
    } else if (in_ == In::csi_intermediate) {
      step_csi_intermediate(c);
    } else if (is_final(c)) {
      in_ = In::ground;
    }
  }
  return p + 1;
}

const char* Parser::step_utf8(const char* p) {
  char bytes[4];
  const std::size_t had = std::min<std::size_t>(terminal_.continuation.size(), 3);
  const std::size_t more = std::min(sizeof bytes - had, static_cast<std::size_t>(end_ - p));
  std::memcpy(bytes, terminal_.continuation.data(), had);
  std::memcpy(bytes + had, p, more);
  const Decoded next = decode_utf8(bytes, had + more);
  if (next.is_incomplete) return end_;
  in_ = In::ground;
  to_.editor().print(next.cp);
  return p + (next.length - had);
}

void Parser::step_escape(char c) {
  if (is_intermediate(c)) {
    if (intermediate_count_ < 2) intermediates_[intermediate_count_] = c;
    ++intermediate_count_;
    in_ = In::escape_intermediate;
    return;
  }
  if (in_ == In::escape) {
    switch (c) {
      case '[':
        return begin_csi();
      case ']':
        return begin_string(String::osc);
      case 'P':
        return begin_string(String::dcs);
      case '_':
        return begin_string(String::apc);
      case 'X':
      case '^':
        return begin_string(String::other);
      default:
        break;
    }
  }
  dispatch_escape(c);
}

void Parser::step_csi(char c) {
  if (is_between(c, '0', '9')) {
    parameter_ = std::min(parameter_ * 10 + static_cast<unsigned>(c - '0'), kParameterMax);
    has_parameters_ = true;
  } else if (c == ';' || c == ':') {
    add_separator(seq_, parameter_, c);
    parameter_ = 0;
    has_parameters_ = true;
  } else if (is_prefix(c)) {
    const bool is_first = !has_parameters_ && seq_.prefix == 0;
    seq_.prefix = c;
    if (!is_first) in_ = In::csi_ignored;
  } else if (is_intermediate(c)) {
    in_ = In::csi_intermediate;
    seq_.intermediates[0] = c;
  } else {
    dispatch_csi(c);
  }
}

void Parser::step_csi_intermediate(char c) {
  if (is_final(c)) return dispatch_csi(c);
  if (is_intermediate(c) && seq_.intermediates[1] == 0) {
    seq_.intermediates[1] = c;
  } else {
    in_ = In::csi_ignored;
  }
}

const char* Parser::step_string(const char* p) {
  const std::size_t run = kernels_.no_control_run(p, static_cast<std::size_t>(end_ - p));
  if (!terminal_.utf8) {
    if (const void* st = std::memchr(p, kC1StringTerminator, run)) {
      p = static_cast<const char*>(st);
      end_string(p, 1, Terminator::st);
      return p + 1;
    }
  }
  p += run;
  if (p == end_) return p;
  const char c = *p;
  if (c == kEscape) {
    in_ = In::string_escape;
  } else if (c == kCancel || c == kSubstitute) {
    in_ = In::ground;
  } else if (c == kBell && string_ == String::osc) {
    end_string(p, 1, Terminator::bel);
  }
  return p + 1;  // other controls stay in the string; who reads its text leaves them out
}

// ESC ends a string also when no backslash follows; it then starts the next sequence.
const char* Parser::step_string_escape(const char* p) {
  if (*p == '\\') {
    end_string(p, 1, Terminator::st);
    return p + 1;
  }
  end_string(p, 0, Terminator::st);
  begin_sequence(p, In::escape);
  terminal_.continuation.assign(1, kEscape);
  return p;
}

void Parser::begin_sequence(const char* p, In in) {
  terminal_.continuation.clear();
  kept_from_ = p;
  in_ = in;
  intermediates_[0] = intermediates_[1] = 0;
  intermediate_count_ = 0;
}

void Parser::begin_csi() {
  clear(seq_);
  parameter_ = 0;
  has_parameters_ = false;
  in_ = In::csi;
}

void Parser::begin_string(String kind) {
  string_ = kind;
  in_ = In::string;
}

void Parser::dispatch_escape(char final) {
  in_ = In::ground;
  to_.editor().settle();
  if (intermediate_count_ <= 2) to_.escape(intermediates_[0], intermediates_[1], final);
}

void Parser::dispatch_csi(char final) {
  in_ = In::ground;
  if (has_parameters_) add_parameter(seq_, parameter_);
  seq_.final = final;
  to_.csi(seq_);
}

// The string ends before `end` (or before the ESC in front of it, if one brought us here).
void Parser::end_string(const char* end, std::size_t bytes_after, Terminator terminator) {
  const bool after_escape = in_ == In::string_escape;
  in_ = In::ground;
  set_offset(end + bytes_after);
  if (string_ == String::other || sequence_bytes(end) > State::kContinuationBytesMax) return;
  std::string_view bytes(kept_from_, static_cast<std::size_t>(end - kept_from_));
  if (!terminal_.continuation.empty()) {
    keep(end);
    kept_from_ = end;
    bytes = terminal_.continuation;
  }
  if (after_escape) bytes.remove_suffix(1);
  bytes.remove_prefix(bytes.front() == kEscape ? 2 : 1);
  to_.editor().settle();
  if (string_ == String::osc) {
    to_.osc(bytes, terminator);
  } else if (string_ == String::apc) {
    if (bytes.starts_with('G')) to_.graphics(bytes.substr(1));
  } else if (bytes.size() <= kDcsBytesMax) {
    to_.dcs(bytes);
  }
}

// Takes a byte out of the unfinished sequence: it has had its effect, or has none.
void Parser::drop_byte(const char* p) {
  keep(p);
  kept_from_ = p + 1;
}

void Parser::execute(const char* p) {
  drop_byte(p);
  set_offset(p + 1);
  control(*p);
}

std::size_t Parser::sequence_bytes(const char* end) const {
  return terminal_.continuation.size() + static_cast<std::size_t>(end - kept_from_);
}

void Parser::keep(const char* to) {
  const std::size_t room = State::kContinuationBytesMax + 1 - terminal_.continuation.size();
  terminal_.continuation.append(kept_from_, std::min(room, static_cast<std::size_t>(to - kept_from_)));
}

void Parser::keep_unfinished() {
  if (in_ != In::ground) return keep(end_);
  terminal_.continuation.clear();
  if (terminal_.continuation.capacity() > kContinuationIdleBytes) terminal_.continuation.shrink_to_fit();
}

}  // namespace holdfast::vt
