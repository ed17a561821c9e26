// A private scratch directory that lives as long as a test.
#pragma once

#include <fcntl.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "base/fd.h"
#include "base/sys.h"

namespace holdfast {

struct TestDirectory {
  TestDirectory() {
    char path_template[] = "/tmp/holdfast-test-XXXXXX";
    path = ::mkdtemp(path_template);
    fd = sys::open_file(path, O_RDONLY | O_DIRECTORY).value();
  }
  ~TestDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

  std::string at(const std::string& name) const { return path + "/" + name; }
  void write(const std::string& name, std::string_view text) const {
    sys::replace_file_at(fd.get(), name, text, sys::Durable::no).value();
  }
  std::string read(const std::string& name) const { return sys::read_file_at(fd.get(), name).value(); }

  std::string path;
  Fd fd;
};

}  // namespace holdfast
