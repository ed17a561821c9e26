// Who leads: whose input reaches the program and whose size it has (docs/decisions/0007-who-leads.md). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/clock.h"
#include "wire/messages.h"
#include "wire/terminal_input.h"

namespace holdfast::holder {

using ClientId = std::uint64_t;

struct Candidate {
  ClientId id = 0;
  bool observe = false;  // asked never to lead
  Instant last_active;   // last input of a person
};

// Whether a client that attaches becomes leader.
bool leads_at_attach(std::optional<ClientId> leader, bool observe);

// Who leads when the leader has left: the most recently active one; nobody if all only observe.
std::optional<ClientId> successor(std::span<const Candidate> remaining);

enum class InputFate : std::uint8_t {
  deliver,
  promote,  // becomes leader by the full sequence, then deliver
  drop,
};
// What happens to one token of an attached client. A key or a paste shows that a person is there; answers, mouse,
// focus and key releases come by themselves, and a program must not get them from two terminals.
InputFate decide_input(wire::InputKind kind, bool leads, bool observe);

// A terminal that is being opened or minimised reports sizes that crash programs; they are not passed on.
bool is_size_for_program(const wire::TermSize& size);

}  // namespace holdfast::holder
