#include "vt/state.h"

namespace holdfast::vt {

State::State(Size size_, HistoryLimits limits)
    : size(size_), primary(size_.cols, size_.rows), alternate(size_.cols, size_.rows), history(limits) {
  margins = {0, size.rows - 1, 0, size.cols - 1};
  tab_stops.resize(size.cols);
  for (std::size_t x = 0; x < tab_stops.size(); x += 8) tab_stops[x] = true;
}

}  // namespace holdfast::vt
