package doctor

// packageFindings are the missing packages on each known system. On an unknown system there is no
// advice.
func packageFindings() (all []finding) {
	noServer := machine{sinkErr: errNone, env: inSession}.with(oneCard)
	noBridge := machine{sinkErr: errNone, env: inSession}.with(map[string]string{wire: "!socket"})
	noManager := machine{
		env: inSession, drivers: drivers(&player{sink: "auto_null"}, nil, nil, errNone),
	}.with(map[string]string{native: "!socket", wire: "!socket"})
	noLibrary := machine{sinkErr: errNone, env: inSession, drivers: drivers(nil, errNone, nil, errLibrary)}.with(oneCard)
	for _, c := range []struct {
		name, release, user              string // user: root, else anna
		server, bridge, manager, library string // the advice, or ""
	}{
		{
			name: "Debian 12", release: "ID=debian\nVERSION_ID=\"12\"", server: "sudo apt install pulseaudio",
			bridge: "sudo apt install pipewire-pulse", manager: "sudo apt install wireplumber",
			library: "sudo apt install libasound2",
		},
		{
			name: "Debian 13, as root", release: "ID=debian\nVERSION_ID=\"13\"", user: "root", server: "apt install pulseaudio",
			bridge: "apt install pipewire-pulse", manager: "apt install wireplumber", library: "apt install libasound2t64",
		},
		{
			name: "Debian unstable", release: "ID=debian", server: "sudo apt install pulseaudio",
			bridge: "sudo apt install pipewire-pulse", manager: "sudo apt install wireplumber",
		},
		{
			name: "Ubuntu 22.04", release: "ID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"22.04\"",
			server: "sudo apt install pulseaudio",
			bridge: "sudo apt install pipewire-pulse", manager: "sudo apt install wireplumber",
			library: "sudo apt install libasound2",
		},
		{
			name: "Ubuntu 24.04", release: "ID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"24.04\"",
			server: "sudo apt install pulseaudio",
			bridge: "sudo apt install pipewire-pulse", manager: "sudo apt install wireplumber",
			library: "sudo apt install libasound2t64",
		},
		{
			name: "Mint", release: "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\nVERSION_ID=\"22\"",
			server: "sudo apt install pulseaudio",
			bridge: "sudo apt install pipewire-pulse", manager: "sudo apt install wireplumber",
		},
		{
			name: "Fedora", release: "ID=fedora\nVERSION_ID=42", server: "sudo dnf install pipewire-pulseaudio wireplumber",
			bridge: "sudo dnf install pipewire-pulseaudio", manager: "sudo dnf install wireplumber",
			library: "sudo dnf install alsa-lib",
		},
		{
			name: "Rocky", release: "ID='rocky'\nID_LIKE=\"rhel centos fedora\"",
			server: "sudo dnf install pipewire-pulseaudio wireplumber",
			bridge: "sudo dnf install pipewire-pulseaudio", manager: "sudo dnf install wireplumber",
			library: "sudo dnf install alsa-lib",
		},
		{
			name: "Arch", release: "ID=arch", server: "sudo pacman -S pipewire-pulse wireplumber",
			bridge: "sudo pacman -S pipewire-pulse", manager: "sudo pacman -S wireplumber", library: "sudo pacman -S alsa-lib",
		},
		{
			name: "Tumbleweed", release: "ID=\"opensuse-tumbleweed\"\nID_LIKE=\"opensuse suse\"",
			server: "sudo zypper install pipewire-pulseaudio wireplumber", bridge: "sudo zypper install pipewire-pulseaudio",
			manager: "sudo zypper install wireplumber", library: "sudo zypper install libasound2",
		},
		{
			name: "Alpine", release: "ID=alpine\nVERSION_ID=3.22.0", server: "sudo apk add pipewire-pulse wireplumber",
			bridge: "sudo apk add pipewire-pulse", manager: "sudo apk add wireplumber", library: "sudo apk add alsa-lib",
		},
		{name: "NixOS", release: "ID=nixos"},
		{name: "a system without a name", release: ""},
	} {
		for _, x := range []struct {
			what    string
			machine machine
			why, do string
		}{
			{"no server", noServer, "no sound server is installed", c.server},
			{"no bridge", noBridge, "PipeWire runs without its PulseAudio server", c.bridge},
			{"no session manager", noManager, "PipeWire has no session manager, so no card reaches it", c.manager},
			{"no library", noLibrary, "ALSA's library is not installed", c.library},
		} {
			m := x.machine.with(map[string]string{"/etc/os-release": c.release})
			if c.user == "root" {
				m.identity = Identity{OS: "linux", User: "root", ID: "0"}
			}
			f := finding{name: c.name + ", " + x.what, machine: m}
			if x.do != "" {
				f.advice = []Advice{{x.why, x.do}}
			}
			all = append(all, f)
		}
	}
	return all
}
