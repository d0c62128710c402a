package doctor

import (
	"strconv"
	"strings"
)

// manager is what installs packages on a family of systems.
type manager struct {
	command string
	server  string // a sound server, with what it needs to find cards
	bridge  string // what makes a PulseAudio server of PipeWire
	library string // ALSA's; "" where it has several names
}

// managers are those that are known, by ID and ID_LIKE of /etc/os-release.
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

// install returns the command that installs something: server, pipewire-pulse, wireplumber or
// alsa; "" where it is not known.
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

// sudo returns what a command begins with that only root may give.
func sudo(i Identity) string {
	if i.ID == "0" {
		return ""
	}
	return "sudo "
}

// family returns the manager of the system, or of one that it says it is like.
func (s System) family() (manager, bool) {
	for _, id := range append([]string{s.release["ID"]}, strings.Fields(s.release["ID_LIKE"])...) {
		if f, known := managers[id]; known {
			return f, true
		}
	}
	return manager{}, false
}

// libasound returns the package of ALSA's library on Debian and Ubuntu, where its name went
// with the years; of systems that are like them it is not known.
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
