#include "vt/state.h"

#include <algorithm>

namespace holdfast::vt {

State::State(Size size_, HistoryLimits limits)
    : size(size_), primary(size_.cols, size_.rows), alternate(size_.cols, size_.rows), history(limits) {
  margins = {0, size.rows - 1, 0, size.cols - 1};
  tab_stops.resize(size.cols);
  for (std::size_t x = 0; x < tab_stops.size(); x += 8) tab_stops[x] = true;
}

StatusRecord StatusRecord::parse(std::string_view text) {
  StatusRecord record;
  record.text = text;
  while (!text.empty()) {
    const std::string_view field = text.substr(0, text.find(':'));
    text.remove_prefix(std::min(field.size() + 1, text.size()));
    if (field.starts_with("id=")) record.id = field.substr(3);
    if (field == "state=clear") record.is_clear = true;
  }
  return record;
}

}  // namespace holdfast::vt
