package doctor

import (
	"strconv"
	"strings"
)

// manager is the package manager of a family of systems.
type manager struct {
	command string
	server  string // the packages of a complete sound server
	bridge  string // the package that adds a PulseAudio server to PipeWire
	library string // the package of ALSA's library; "" if the name varies
}

// managers are the known package managers, by ID and ID_LIKE of /etc/os-release.
var managers = map[string]manager{
	"debian": {command: "apt install", server: "pulseaudio", bridge: "pipewire-pulse"},
	"fedora": {
		command: "dnf install", server: "pipewire-pulseaudio wireplumber", bridge: "pipewire-pulseaudio", library: "alsa-lib",
	},
	"suse": {
		command: "zypper install", server: "pipewire-pulseaudio wireplumber", bridge: "pipewire-pulseaudio",
		library: "libasound2",
	},
	"arch":   {command: "pacman -S", server: "pipewire-pulse wireplumber", bridge: "pipewire-pulse", library: "alsa-lib"},
	"alpine": {command: "apk add", server: "pipewire-pulse wireplumber", bridge: "pipewire-pulse", library: "alsa-lib"},
}

// install returns the shell command that installs a component of sound: "server", "pipewire-pulse", "wireplumber" or
// "alsa". If the user on m is not root, the command begins with sudo. If the package manager or the package is
// unknown, the result is "". The command is only returned, not run.
func (s System) install(m Machine, what string) string {
	family, known := s.family()
	if !known {
		return ""
	}
	name := map[string]string{
		"server": family.server, "pipewire-pulse": family.bridge, "wireplumber": "wireplumber", "alsa": family.library,
	}[what]
	if what == "alsa" && name == "" {
		name = s.libasound()
	}
	if name == "" {
		return ""
	}
	return sudo(m.Identity()) + family.command + " " + name
}

// sudo returns the prefix "sudo " for a command that needs root. If the user i is root, it returns "".
func sudo(i Identity) string {
	if i.ID == "0" {
		return ""
	}
	return "sudo "
}

// family returns the package manager of the system s. If it is unknown, family returns the package manager of the
// first known system that s names as similar. Without any, the bool is false.
func (s System) family() (manager, bool) {
	for _, id := range append([]string{s.release["ID"]}, strings.Fields(s.release["ID_LIKE"])...) {
		if f, known := managers[id]; known {
			return f, true
		}
	}
	return manager{}, false
}

// libasound returns the name of the package with ALSA's library on this version of Debian or Ubuntu. For other systems
// and for unknown versions it returns "".
func (s System) libasound() string {
	renamed := map[string]float64{"debian": 13, "ubuntu": 24.04}[s.release["ID"]]
	version, err := strconv.ParseFloat(s.release["VERSION_ID"], 64)
	switch {
	case renamed == 0 || err != nil:
		return ""
	case version < renamed:
		return "libasound2"
	}
	return "libasound2t64"
}
