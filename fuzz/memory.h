// How much memory something holds, and held at most while it worked: bounds are promises, and a fuzzer checks them.
// Counted by the sanitizer's allocator, libraries included.
#pragma once

#include <sanitizer/allocator_interface.h>

#include <algorithm>
#include <cstddef>

namespace holdfast::fuzz {

class Memory {
 public:
  // One at a time.
  Memory() : before_(now()) {
    static const int installed = __sanitizer_install_malloc_and_free_hooks(&look, &pass);
    static_cast<void>(installed);
    most_ = before_;
    is_watched_ = true;
  }
  ~Memory() { is_watched_ = false; }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::size_t held() const { return above(now()); }
  std::size_t most() const { return above(most_); }

 private:
  static std::size_t now() { return __sanitizer_get_current_allocated_bytes(); }
  // Small ones are seen with the next large one.
  static void look(const volatile void*, std::size_t size) {
    constexpr std::size_t kLarge = 1024;
    if (is_watched_ && size >= kLarge) most_ = std::max(most_, now());
  }
  static void pass(const volatile void*) {}
  std::size_t above(std::size_t bytes) const { return bytes - std::min(bytes, before_); }

  static inline bool is_watched_ = false;
  static inline std::size_t most_ = 0;
  std::size_t before_;
};

}  // namespace holdfast::fuzz
