#include "holder/leader_rule.h"

#include "base/limits.h"

namespace holdfast::holder {

bool leads_at_attach(std::optional<ClientId> leader, bool observe) { return !leader && !observe; }

std::optional<ClientId> successor(std::span<const Candidate> remaining) {
  const Candidate* best = nullptr;
  for (const Candidate& candidate : remaining) {
    if (candidate.observe) continue;
    if (best == nullptr || candidate.last_active > best->last_active) best = &candidate;
  }
  if (best == nullptr) return std::nullopt;
  return best->id;
}

InputFate decide_input(wire::InputKind kind, bool leads, bool observe) {
  if (leads) return InputFate::deliver;
  if (observe) return InputFate::drop;
  switch (kind) {
    case wire::InputKind::key:
    case wire::InputKind::paste: return InputFate::promote;
    case wire::InputKind::key_release:
    case wire::InputKind::mouse:
    case wire::InputKind::focus_in:
    case wire::InputKind::focus_out:
    case wire::InputKind::reply: return InputFate::drop;
  }
  return InputFate::drop;
}

bool is_size_for_program(const wire::TermSize& size) {
  return size.cols >= limits::kLeaderColsMin && size.rows >= limits::kLeaderRowsMin && size.cols <= limits::kColsMax &&
         size.rows <= limits::kRowsMax;
}

}  // namespace holdfast::holder
