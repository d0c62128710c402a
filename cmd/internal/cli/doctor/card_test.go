package doctor

import (
	"voicepool/device/pulse"
)

// cardFindings are about sound cards and built-in drivers.
var cardFindings = []finding{
	{
		name:    "nothing at all",
		machine: machine{sinkErr: errNone},
		sockets: []Socket{},
		cards:   []Card{},
		details: []string{"there is none", "there is none"},
	},
	{
		name:    "a server could be started, and has nothing to play on",
		machine: machine{sinkErr: errNone, env: inSession, programs: "pulseaudio"},
	},
	{
		name: "a card plays, without a server",
		machine: machine{
			sinkErr: errNone, drivers: drivers(nil, errNone, &player{}, nil), env: inSession, programs: "pulseaudio",
			files: files(oneCard, map[string]string{
				"/proc/asound/card0/pcm0p/info":        "card: 0\nid: ALC257 Analog\nname: ALC257\nsubdevices_avail: 1\n",
				"/proc/asound/card0/pcm0p/sub0/status": "closed\n",
			}),
		},
		cards:   []Card{{Path: "/dev/snd/pcmC0D0p", Name: "ALC257 Analog", Usable: true, Detail: "there"}},
		details: []string{"there is none", "ALSA"},
	},
	{
		name: "no permission for the card",
		machine: machine{sinkErr: errNone, files: oneCard, barred: "/dev/snd/pcmC0D0p",
			owners: map[string]string{"/dev/snd/pcmC0D0p": "root:audio"}},
		cards:  []Card{{Path: "/dev/snd/pcmC0D0p", Name: "card 0", Detail: "no permission: it belongs to root"}},
		advice: []Advice{{"only the group audio may use the sound cards", "sudo usermod -aG audio anna, and log in again"}},
	},
	{
		name: "no permission for the card, in a container",
		machine: machine{
			sinkErr: errNone, files: files(oneCard, map[string]string{"/.dockerenv": ""}), barred: "/dev/snd/pcmC0D0p",
			owners: map[string]string{"/dev/snd/pcmC0D0p": "root:audio"},
		},
		advice: []Advice{{"only the group audio may use the sound cards", "start it with docker run --group-add audio"}},
	},
	{
		name: "no permission for one of two cards",
		machine: machine{sinkErr: errNone, files: files(oneCard, map[string]string{"/dev/snd/pcmC11D3p": "!device"}),
			barred: "/dev/snd/pcmC0D0p"},
		cards: []Card{
			{Path: "/dev/snd/pcmC0D0p", Name: "card 0", Detail: "no permission"},
			{Path: "/dev/snd/pcmC11D3p", Name: "card 11", Usable: true, Detail: "there"},
		},
	},
	{
		name: "no permission for the folder of the cards",
		machine: machine{sinkErr: errNone, files: oneCard, barred: "/dev/snd/",
			owners: map[string]string{"/dev/snd": "root:sound people"}},
		cards: []Card{{Path: "/dev/snd", Name: "all cards", Detail: "no permission for this folder"}},
		advice: []Advice{{"only the group sound people may use the sound cards",
			"sudo usermod -aG 'sound people' anna, and log in again"}},
	},
	{
		name: "the cards are for root alone",
		machine: machine{sinkErr: errNone, files: oneCard, barred: "/dev/snd/pcmC0D0p",
			owners: map[string]string{"/dev/snd/pcmC0D0p": "root:root"}},
	},
	{
		name:    "no device has the name of a card",
		machine: machine{sinkErr: errNone, files: map[string]string{"/dev/snd/pcmC0D0p": "text"}},
		cards:   []Card{{Path: "/dev/snd/pcmC0D0p", Name: "card 0", Detail: "not a device"}},
	},
	{
		name: "the card is busy",
		machine: machine{
			sinkErr: errNone,
			files: files(oneCard, map[string]string{
				"/proc/asound/card0/pcm0p/info":        "name: USB\nsubdevices_count: 1\nsubdevices_avail: 0\n",
				"/proc/asound/card0/pcm0p/sub0/status": "state: RUNNING\nowner_pid   : 812\n",
				"/proc/812/comm":                       "mpg123\n",
			}),
		},
		cards: []Card{{Path: "/dev/snd/pcmC0D0p", Name: "USB", Detail: "busy: mpg123 (process 812) plays on it",
			Owner: 812}},
		advice: []Advice{{"/dev/snd/pcmC0D0p is in use", "end mpg123, or let both play through a sound server"}},
	},
	{
		name: "the card is busy, and mixes",
		machine: machine{
			sinkErr: errNone,
			files: files(oneCard, map[string]string{
				"/proc/asound/card0/pcm0p/info":        "name: Live\nsubdevices_count: 32\nsubdevices_avail: 31\n",
				"/proc/asound/card0/pcm0p/sub0/status": "state: RUNNING\nowner_pid   : 812\n",
			}),
		},
		cards: []Card{{Path: "/dev/snd/pcmC0D0p", Name: "Live", Usable: true, Detail: "there"}},
	},
	{
		name: "the server has the card, and its sink is muted",
		machine: machine{
			sinks: []pulse.Sink{{Name: "a", Muted: true}}, drivers: drivers(&player{sink: "a"}, nil, nil, errNone),
			files: files(oneCard, map[string]string{
				"/proc/asound/card0/pcm0p/info":        "name: USB\nsubdevices_count: 1\nsubdevices_avail: 0\n",
				"/proc/asound/card0/pcm0p/sub0/status": "owner_pid   : 9\n",
			}),
		},
		cards: []Card{{Path: "/dev/snd/pcmC0D0p", Name: "USB", Detail: "busy: a program (process 9) plays on it", Owner: 9}},
	},
	{
		name:    "a container without a card",
		machine: machine{sinkErr: errNone, files: map[string]string{"/.dockerenv": ""}},
		advice:  []Advice{{"this container has no access to a sound card", "start it with docker run --device /dev/snd"}},
	},
	{
		name:    "a container of podman without a card",
		machine: machine{sinkErr: errNone, files: map[string]string{"/run/.containerenv": ""}},
		advice:  []Advice{{"this container has no access to a sound card", "start it with podman run --device /dev/snd"}},
	},
	{
		name: "a container that is told of a server",
		machine: machine{sinkErr: errRefused, env: map[string]string{"PULSE_SERVER": "host"},
			files: map[string]string{"/.dockerenv": ""}},
	},
	{
		name:    "a container that was given a server, which has ended",
		machine: machine{sinkErr: errRefused, env: inSession, files: map[string]string{"/.dockerenv": "", native: "!socket"}},
	},
	{
		name: "a container in which PipeWire runs",
		machine: machine{
			sinkErr: errNone, env: inSession, programs: "pipewire-pulse",
			files: map[string]string{"/.dockerenv": "", wire: "!socket"},
		},
		advice: []Advice{{"PipeWire runs without its PulseAudio server", "pipewire-pulse &"}},
	},
	{
		name:    "a container that was not given the server",
		machine: machine{sinkErr: errNone, env: inSession, files: map[string]string{"/.dockerenv": ""}},
		advice:  []Advice{{"this container has no access to a sound card", "start it with docker run --device /dev/snd"}},
	},
	{
		name: "nothing was built in",
		machine: machine{
			identity: Identity{OS: "windows", Arch: "amd64", User: "anna"}, env: inSession, drivers: []Driver{{Name: "oto"}},
		},
		sockets: []Socket{},
		details: []string{"it was left out of this program (tag nooto)"},
		advice:  []Advice{{"no driver was built in", "build it without the tag nooto"}},
	},
	{
		name:    "one driver was built in",
		machine: machine{sinkErr: errNone, drivers: append(drivers(nil, errNone, nil, nil)[:1], Driver{Name: "oto"})},
		details: []string{"there is none", "it was left out of this program (tag nooto)"},
	},
}
