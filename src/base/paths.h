// Where things live. One place decides, so that the CLI, the holder and the tests agree (docs/files.md).
#pragma once

#include <string>

#include "base/result.h"

namespace holdfast::paths {

// Environment in: the process's own. All results are absolute.
//
// Runtime directory (sockets): $HOLDFAST_RUNTIME_DIR if set, else $XDG_RUNTIME_DIR/holdfast if that exists and the
// user lingers (file /var/lib/systemd/linger/<user>), else /tmp/holdfast-<uid>.
std::string runtime_dir();
// Where in it the sockets lie, the file name of a session's, and whether a path may be that socket: a manifest is a file,
// and files can be edited.
std::string socket_dir();
std::string socket_name(const std::string& id);
bool is_socket_of(const std::string& path, const std::string& id);
// $XDG_STATE_HOME/holdfast, default ~/.local/state/holdfast.
std::string state_dir();
// $XDG_CONFIG_HOME/holdfast/config.toml, default ~/.config/holdfast/config.toml.
std::string config_file();
// $HOME, else the passwd entry's (read from /etc/passwd; no NSS).
std::string home_dir();
// $SHELL if it is an executable file, else /etc/passwd, else `getent passwd <uid>` run as a program, else /bin/sh.
std::string login_shell();

}  // namespace holdfast::paths
