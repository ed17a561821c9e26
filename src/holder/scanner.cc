#include "holder/scanner.h"

#include <array>
#include <cstring>

namespace holdfast::holder {
namespace {

constexpr char kEscape = '\033', kBell = '\a', kCancel = '\030', kSubstitute = '\032';

// What follows ESC ]. They differ in their first byte, so one candidate is enough.
constexpr std::array<std::string_view, 2> kWords{"133;A", "7501;?"};
constexpr std::uint8_t kRedrawWord = 0, kStatusWord = 1;
constexpr std::string_view kRedrawOption = "redraw=";
constexpr std::uint8_t kOtherOption = 0xff;

}  // namespace

// To the first byte that ends or interrupts a string.
const char* Scanner::skip_string(const char* p, const char* end) {
  const bool bell_ends = state_ == State::osc;
  for (; p != end; ++p) {
    const char c = *p;
    if (static_cast<unsigned char>(c) > 0x1b) continue;
    if (c == kEscape || c == kCancel || c == kSubstitute || (bell_ends && c == kBell)) break;
  }
  return p;
}

void Scanner::escape_byte(char c, std::uint64_t offset) {
  switch (c) {
    case kEscape: begin_ = offset; break;
    case ']':
      state_ = State::word;
      matched_ = 0;
      break;
    case 'P':
    case 'X':
    case '^':
    case '_': state_ = State::string; break;
    default: state_ = State::ground;
  }
}

void Scanner::found(std::uint64_t end, Terminator terminator, Findings& findings) {
  if (word_ == kStatusWord) {
    findings.edits.push_back({begin_, end, Rewrite::status_query});
    findings.queries.push_back({end, terminator});
  } else {
    findings.edits.push_back({begin_, begin_ + 2 + kWords[kRedrawWord].size(), Rewrite::redraw});
  }
}

void Scanner::word_byte(char c, std::uint64_t offset, Findings& findings) {
  if (matched_ == 0) word_ = c == kWords[kStatusWord][0] ? kStatusWord : kRedrawWord;
  const std::string_view word = kWords[word_];
  if (matched_ < word.size() && c == word[matched_]) {
    ++matched_;
    return;
  }
  const bool whole = matched_ == word.size();
  if (c == kBell) {
    if (whole) found(offset + 1, Terminator::bell, findings);
    state_ = State::ground;
  } else if (c == kEscape) {
    // An ESC that is not part of ST cuts the string off and may begin a sequence of its own.
    if (!whole) begin_ = offset;
    state_ = whole ? State::word_escape : State::string_escape;
  } else if (c == kCancel || c == kSubstitute) {
    state_ = State::ground;
  } else {
    const bool is_prompt = whole && word_ == kRedrawWord && c == ';';
    if (is_prompt) found(offset, Terminator::bell, findings);
    state_ = is_prompt ? State::prompt : State::osc;
    option_ = 0;
    says_redraw_ = false;
  }
}

void Scanner::prompt_byte(char c, std::uint64_t offset, Findings& findings) {
  if (c == kBell) {
    end_prompt(offset, findings);
  } else if (c == kEscape) {
    begin_ = offset;
    state_ = State::prompt_escape;
  } else if (c == kCancel || c == kSubstitute) {
    state_ = State::ground;
  } else if (c == ';') {
    option_ = 0;
  } else if (option_ < kRedrawOption.size()) {
    option_ = c == kRedrawOption[option_] ? static_cast<std::uint8_t>(option_ + 1) : kOtherOption;
    says_redraw_ = says_redraw_ || option_ == kRedrawOption.size();
  }
}

// Some terminals take the first `redraw` of a prompt, some the last: where the program says one, ours stands at both
// ends.
void Scanner::end_prompt(std::uint64_t end, Findings& findings) {
  if (says_redraw_) findings.edits.push_back({end, end, Rewrite::redraw});
  state_ = State::ground;
}

void Scanner::feed(std::string_view bytes, Findings& findings) {
  const char* const start = bytes.data();
  const char* const end = start + bytes.size();
  const char* p = start;
  while (p != end) {
    const std::uint64_t offset = position_ + static_cast<std::uint64_t>(p - start);
    switch (state_) {
      case State::ground: {
        const void* escape = std::memchr(p, kEscape, static_cast<std::size_t>(end - p));
        if (escape == nullptr) {
          p = end;
          break;
        }
        const char* at = static_cast<const char*>(escape);
        begin_ = position_ + static_cast<std::uint64_t>(at - start);
        p = at + 1;
        // The common case in one step: a control sequence is not followed.
        if (p != end && *p == '[') ++p;
        else state_ = State::escape;
        break;
      }
      case State::escape: escape_byte(*p++, offset); break;
      case State::word: word_byte(*p++, offset, findings); break;
      case State::word_escape:
        if (*p == '\\') {
          found(offset + 1, Terminator::string_terminator, findings);
          state_ = State::ground;
        } else {
          begin_ = offset - 1;
          escape_byte(*p, offset);
          if (*p == kEscape) state_ = State::escape;
        }
        ++p;
        break;
      case State::prompt: prompt_byte(*p++, offset, findings); break;
      case State::prompt_escape:
        if (*p == '\\') {
          end_prompt(begin_, findings);
        } else {
          escape_byte(*p, offset);
          if (*p == kEscape) state_ = State::escape;
        }
        ++p;
        break;
      case State::osc:
      case State::string:
        p = skip_string(p, end);
        if (p == end) break;
        begin_ = position_ + static_cast<std::uint64_t>(p - start);
        state_ = *p++ == kEscape ? State::string_escape : State::ground;
        break;
      case State::string_escape:
        if (*p == '\\') {
          state_ = State::ground;
        } else {
          escape_byte(*p, offset);
          if (*p == kEscape) state_ = State::escape;
        }
        ++p;
        break;
    }
  }
  position_ += bytes.size();
}

}  // namespace holdfast::holder
