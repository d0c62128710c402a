package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"voicepool/internal/words"
)

// System describes the machine apart from sound.
type System struct {
	Name      string `json:"name"` // as given by the system
	OS        string `json:"os"`
	Arch      string `json:"arch"`
	Container string `json:"container,omitempty"` // docker or podman, if this process runs in a container

	release map[string]string // of /etc/os-release
}

// LocalSystem returns the description of the machine of this process.
func LocalSystem() System { return system(LocalMachine()) }

// system returns the name, the version data and the container of the machine m. If the program lacks the driver of
// sound servers, only OS and Arch are set.
func system(m Machine) System {
	i := m.Identity()
	s := System{OS: i.OS, Arch: i.Arch, release: map[string]string{}}
	if !hasPulseDriver(m) {
		return s // these files describe another system, as under Wine
	}
	text, _ := fs.ReadFile(m.Files(), "etc/os-release")
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		s.release[key] = words.OneLine(strings.Trim(value, `"'`))
	}
	s.Name = s.release["PRETTY_NAME"]
	for _, c := range []struct{ file, name string }{{".dockerenv", "docker"}, {"run/.containerenv", "podman"}} {
		if exists(m, c.file) {
			s.Container = c.name
		}
	}
	return s
}

// exists reports whether a file exists on the machine m. Its path has no leading slash.
func exists(m Machine, path string) bool {
	_, err := fs.Stat(m.Files(), path)
	return err == nil
}

// Variable is an environment variable that affects sound.
type Variable struct {
	Name  string `json:"name"`
	Set   bool   `json:"set"`
	Value string `json:"value"`
}

// hasPulseDriver reports whether the program on m has the driver of the sound servers PulseAudio and PipeWire.
func hasPulseDriver(m Machine) bool {
	return slices.ContainsFunc(m.Drivers(), func(d Driver) bool { return d.Name == "pulse" })
}

// hasALSA reports whether programs on m use sound cards through ALSA. That is so on Linux, but not on Android.
func hasALSA(m Machine) bool { return m.Identity().OS == "linux" }

// variables returns the environment variables that affect the driver of sound servers, also unset ones. If the program
// lacks that driver, the result is empty.
func variables(m Machine) []Variable {
	list := []Variable{}
	if !hasPulseDriver(m) {
		return list
	}
	for _, name := range []string{"XDG_RUNTIME_DIR", "PULSE_SERVER", "PULSE_SINK", "PULSE_COOKIE"} {
		value, set := m.Env(name)
		list = append(list, Variable{name, set, value})
	}
	return list
}

// value returns the value of the environment variable called name on m, or "" if it is unset.
func value(m Machine, name string) string {
	v, _ := m.Env(name)
	return v
}

// Socket is a possible socket of a sound server.
type Socket struct {
	Path     string `json:"path"`
	From     string `json:"from"`  // the variable or the convention that leads there
	InUse    bool   `json:"asked"` // the drivers use it
	Usable   bool   `json:"usable"`
	Detail   string `json:"detail"`
	Protocol string `json:"protocol"` // pulse, or pipewire, which has no driver here
}

// sessionOf is the origin of a socket without a variable.
const sessionOf = "the session of this user"

// sockets looks for the sockets of sound servers at their usual paths on m. First in the result are the sockets that
// the drivers use, also if they do not exist. Other sockets follow if this process can use them. The PulseAudio socket
// in XDG_RUNTIME_DIR is always listed. If the program lacks the driver of sound servers, the result is empty.
func sockets(m Machine) []Socket {
	list := []Socket{}
	add := func(path, from, protocol string, inUse bool) {
		if path == "" || slices.ContainsFunc(list, func(s Socket) bool { return s.Path == path }) {
			return
		}
		s := Socket{Path: path, From: from, Protocol: protocol, InUse: inUse}
		if s.Detail = unusable(m, path, fs.ModeSocket, "a socket"); s.Detail == "" {
			s.Usable, s.Detail = true, "there"
		}
		// Elsewhere, only an existing socket is listed.
		if inUse || from == "XDG_RUNTIME_DIR" && protocol == "pulse" || s.Usable {
			list = append(list, s)
		}
	}
	if !hasPulseDriver(m) {
		return list
	}
	servers, inUse := m.Env("PULSE_SERVER")
	for _, word := range strings.Fields(servers) {
		if i := strings.Index(word, "}"); word[0] == '{' && i > 0 {
			word = word[i+1:]
		}
		if word = strings.TrimPrefix(word, "unix:"); strings.HasPrefix(word, "/") {
			add(path.Clean(word), "PULSE_SERVER", "pulse", true)
		}
	}
	if dir := value(m, "XDG_RUNTIME_DIR"); dir != "" {
		add(path.Join(dir, "pulse/native"), "XDG_RUNTIME_DIR", "pulse", !inUse)
		add(path.Join(dir, "pipewire-0"), "XDG_RUNTIME_DIR", "pipewire", false)
	}
	if id := m.Identity().ID; id != "" {
		add("/run/user/"+id+"/pulse/native", sessionOf, "pulse", false)
		add("/run/user/"+id+"/pipewire-0", sessionOf, "pipewire", false)
	}
	add("/mnt/wslg/PulseServer", "WSLg", "pulse", false)
	add("/run/pulse/native", "the system", "pulse", false)
	return list
}

// unusable returns the reason why the file path on m cannot be used, such as "no permission". It returns "" if the
// file has the type in the parameter mode and this process may read and write it. The parameter kind names that type
// for the reason, such as "a socket".
func unusable(m Machine, path string, mode fs.FileMode, kind string) string {
	info, err := fs.Stat(m.Files(), strings.TrimPrefix(path, "/"))
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "no permission for its folder"
	case err != nil:
		return "not there"
	case info.Mode()&mode == 0:
		return "not " + kind
	case m.Usable(path) != nil:
		if owner, _ := m.Owner(path); owner != "" {
			return "no permission: it belongs to " + words.OneLine(owner)
		}
		return "no permission"
	}
	return ""
}

// Card is an output of an ALSA sound card.
type Card struct {
	Path   string `json:"path"`
	Name   string `json:"name"`
	Usable bool   `json:"usable"`
	Detail string `json:"detail"`
	Owner  int    `json:"busy_with,omitempty"` // the process that plays on it

	barred bool // permission is missing
}

// output matches the playback devices in /dev/snd.
var output = regexp.MustCompile(`^pcmC(\d+)D(\d+)p$`)

// cards examines the playback devices of ALSA on m without opening them. If the permission for their folder is
// missing, the result is one Card for all. Without devices, and on systems other than Linux, it is empty.
func cards(m Machine) []Card {
	list := []Card{}
	if !hasALSA(m) {
		return list
	}
	files, err := fs.ReadDir(m.Files(), "dev/snd")
	if errors.Is(err, fs.ErrPermission) {
		return append(list, Card{Path: "/dev/snd", Name: "all cards", Detail: "no permission for this folder", barred: true})
	}
	for _, f := range files {
		if n := output.FindStringSubmatch(f.Name()); n != nil {
			list = append(list, card(m, "/dev/snd/"+f.Name(), n[1], n[2]))
		}
	}
	return list
}

// card examines a playback device of ALSA on m without opening it: its name and whether this process may use it. If the
// device is fully in use, card also finds the program that plays on it. The parameter file is its path in /dev/snd.
// number is the number of the card, device the number of the device on the card.
func card(m Machine, file, number, device string) Card {
	c := Card{Path: file, Name: "card " + number}
	dir := fmt.Sprintf("proc/asound/card%s/pcm%sp", number, device)
	info := fields(m, dir+"/info")
	c.Name = cmp.Or(info["id"], info["name"], c.Name)
	if info["subdevices_avail"] == "0" {
		fmt.Sscan(fields(m, dir+"/sub0/status")["owner_pid"], &c.Owner)
	}
	switch c.Detail = unusable(m, file, fs.ModeDevice, "a device"); {
	case c.Detail != "":
		c.barred = strings.HasPrefix(c.Detail, "no permission")
	case c.Owner != 0:
		c.Detail = fmt.Sprintf("busy: %s (process %d) plays on it", program(m, c.Owner), c.Owner)
	default:
		c.Usable, c.Detail = true, "there"
	}
	return c
}

// program returns the name of the process on m with the number pid. If it is unknown, the result is "a program".
func program(m Machine, pid int) string {
	name, _ := fs.ReadFile(m.Files(), fmt.Sprintf("proc/%d/comm", pid))
	if line := words.OneLine(string(name)); line != "" {
		return line
	}
	return "a program"
}

// fields reads a file of m with lines such as "name: ALC257 Analog" and returns the values by name. If the file cannot
// be read, the map is empty.
func fields(m Machine, path string) map[string]string {
	text, _ := fs.ReadFile(m.Files(), path)
	found := map[string]string{}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, ":")
		found[strings.TrimSpace(key)] = words.OneLine(value)
	}
	return found
}
