package doctor

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"

	"voicepool/device/pulse"
)

const (
	session = "/run/user/1000"
	native  = session + "/pulse/native"
	wire    = session + "/pipewire-0"
)

var (
	inSession = map[string]string{"XDG_RUNTIME_DIR": session}
	units     = map[string]string{session + "/systemd": "!folder"}
	oneCard   = map[string]string{"/dev/snd/pcmC0D0p": "!device", "/dev/snd/pcmC0D0c": "!device",
		"/dev/snd/controlC0": "!device"}

	errRefused = fmt.Errorf("pulse: the sound server at x: %w", syscall.ECONNREFUSED)
	errSilent  = fmt.Errorf("pulse: the sound server at x does not answer: %w", os.ErrDeadlineExceeded)
	errLibrary = errors.New("oto: failed to load libasound: libasound.so.2: cannot open")
)

func files(of ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, f := range of {
		maps.Copy(all, f)
	}
	return all
}

// finding is a machine with its expected results.
type finding struct {
	name    string
	machine machine
	sockets []Socket
	cards   []Card
	details []string // of the drivers
	advice  []Advice
}

// findings has a row for every possible result of Examine.
var findings = slices.Concat(serverFindings, cardFindings, loadFindings, packageFindings())

// TestFindings examines every machine.
func TestFindings(t *testing.T) {
	for _, f := range findings {
		t.Run(f.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := Examine(t.Context(), f.machine, Options{})
				if f.sockets != nil && !reflect.DeepEqual(r.Sockets, f.sockets) {
					t.Errorf("sockets\n%+v, want\n%+v", r.Sockets, f.sockets)
				}
				for i := range r.Cards {
					r.Cards[i].barred = false
				}
				if f.cards != nil && !reflect.DeepEqual(r.Cards, f.cards) {
					t.Errorf("cards\n%+v, want\n%+v", r.Cards, f.cards)
				}
				for i, want := range f.details {
					if r.Drivers[i].Detail != want {
						t.Errorf("%s: %q, want %q", r.Drivers[i].Name, r.Drivers[i].Detail, want)
					}
				}
				if want := append([]Advice{}, f.advice...); !reflect.DeepEqual(r.Advice, want) {
					t.Errorf("advice\n%q, want\n%q", r.Advice, want)
				}
			})
		})
	}
}

// TestEveryCure checks that each cure applies to at least one machine.
func TestEveryCure(t *testing.T) {
	cures := slices.Concat(degradedCures, silenceCures)
	helps := make([]bool, len(cures))
	for _, f := range findings {
		synctest.Test(t, func(t *testing.T) {
			x := examination{machine: f.machine, options: Options{Progress: func(string, ...any) {}}}
			x.System, x.Sockets, x.Cards = system(f.machine), sockets(f.machine), cards(f.machine)
			x.tryDrivers(t.Context())
			x.Busy = load(f.machine, f.machine.paused)
			for i, c := range cures {
				treated := x
				c.apply(&treated)
				helps[i] = helps[i] || len(treated.Advice) > len(x.Advice)
			}
		})
	}
	for i, c := range cures {
		if !helps[i] {
			t.Errorf("no machine needs %s", runtime.FuncForPC(reflect.ValueOf(c.apply).Pointer()).Name())
		}
	}
}

// serverFindings are about sound servers.
var serverFindings = []finding{
	{
		name: "plays",
		machine: machine{env: inSession, files: map[string]string{native: "!socket"},
			sinks: []pulse.Sink{{Name: "speakers"}}},
		sockets: []Socket{{Path: native, From: "XDG_RUNTIME_DIR", InUse: true, Usable: true, Detail: "answers",
			Protocol: "pulse"}},
		details: []string{"speakers", "not tried: pulse plays"},
	},
	{
		name:    "plays with gaps",
		machine: machine{env: inSession, drivers: drivers(&player{dry: 1}, nil, nil, errNone)},
		advice:  []Advice{{"the sound had gaps", "play with a larger --buffer, as --buffer 100ms"}},
	},
	{
		name: "plays, and there is another server",
		machine: machine{
			env: map[string]string{"PULSE_SERVER": "/tmp/x"}, sinks: []pulse.Sink{{Name: "speakers"}},
			files: map[string]string{"/tmp/x": "!socket", native: "!socket"},
		},
	},
	{
		name: "is moved to a sink that is muted",
		machine: machine{
			sinks:   []pulse.Sink{{Name: "a"}, {Name: "b", Muted: true}},
			drivers: drivers(&player{sink: "a", moves: "b"}, nil, nil, errNone),
		},
		details: []string{"the sink b is muted", "not tried: it plays through the same server"},
	},
	{
		name:    "the variable is missing, the server is not",
		machine: machine{sinkErr: errNone, files: map[string]string{native: "!socket", wire: "!socket"}},
		sockets: []Socket{
			{Path: native, From: sessionOf, Usable: true, Detail: "there", Protocol: "pulse"},
			{Path: wire, From: sessionOf, Usable: true, Detail: "there", Protocol: "pipewire"},
		},
		advice: []Advice{{"a sound server at " + native + " is not used", "export XDG_RUNTIME_DIR=" + session}},
	},
	{
		name: "the variable leads elsewhere",
		machine: machine{sinkErr: errNone, env: map[string]string{"XDG_RUNTIME_DIR": "/tmp/it's"},
			files: map[string]string{native: "!socket"}},
		sockets: []Socket{
			{Path: "/tmp/it's/pulse/native", From: "XDG_RUNTIME_DIR", InUse: true, Detail: "not there", Protocol: "pulse"},
			{Path: native, From: sessionOf, Usable: true, Detail: "there", Protocol: "pulse"},
		},
		advice: []Advice{{"a sound server at " + native + " is not used", "export XDG_RUNTIME_DIR=" + session}},
	},
	{
		name: "PULSE_SERVER leads elsewhere",
		machine: machine{
			sinkErr: errNone, env: files(inSession, map[string]string{"PULSE_SERVER": "{here}unix:/tmp/../tmp/x tcp:far"}),
			files: map[string]string{native: "!socket", "/tmp/x": "text"},
		},
		sockets: []Socket{
			{Path: "/tmp/x", From: "PULSE_SERVER", InUse: true, Detail: "not a socket", Protocol: "pulse"},
			{Path: native, From: "XDG_RUNTIME_DIR", Usable: true, Detail: "there", Protocol: "pulse"},
		},
		advice: []Advice{{"a sound server at " + native + " is not used", "unset PULSE_SERVER"}},
	},
	{
		name: "PULSE_SERVER leads elsewhere, and no variable to the session",
		machine: machine{
			sinkErr: errNone, env: map[string]string{"PULSE_SERVER": "far"}, files: map[string]string{native: "!socket"},
		},
		advice: []Advice{{"a sound server at " + native + " is not used", "export PULSE_SERVER=unix:" + native}},
	},
	{
		name:    "Windows has a server",
		machine: machine{sinkErr: errNone, env: inSession, files: map[string]string{"/mnt/wslg/PulseServer": "!socket"}},
		advice: []Advice{{
			"a sound server at /mnt/wslg/PulseServer is not used", "export PULSE_SERVER=unix:/mnt/wslg/PulseServer",
		}},
	},
	{
		name: "PULSE_SERVER is no name",
		machine: machine{
			sinkErr: errors.New(`pulse: PULSE_SERVER: "{x" is not the name of a server`),
			env:     files(inSession, map[string]string{"PULSE_SERVER": "{x"}), files: map[string]string{native: "!socket"},
		},
		details: []string{`PULSE_SERVER: "{x" is not the name of a server`, "there is none"},
		advice:  []Advice{{"PULSE_SERVER is not the name of a server", "unset PULSE_SERVER"}},
	},
	{
		name: "PULSE_SINK is no sink, and another driver plays",
		machine: machine{
			env: map[string]string{"PULSE_SINK": "x"}, sinks: []pulse.Sink{{Name: "a", Default: true}},
			drivers: drivers(nil, errors.New(`pulse: PULSE_SINK: no sink "x", the nearest is "a"`), &player{}, nil),
		},
		details: []string{`PULSE_SINK: no sink "x", the nearest is "a"`, "ALSA"},
		advice:  []Advice{{"PULSE_SINK names a sink that does not exist", "unset PULSE_SINK"}},
	},
	{
		name: "PULSE_SINK is no sink, and the default is muted",
		machine: machine{
			env: map[string]string{"PULSE_SINK": "x"}, sinks: []pulse.Sink{{Name: "a", Default: true, Muted: true}},
			drivers: drivers(nil, errors.New("pulse: PULSE_SINK: no"), &player{}, nil),
		},
		details: []string{"PULSE_SINK: no", "the sink a is muted"},
		advice:  []Advice{{"PULSE_SINK names a sink that does not exist", "unset PULSE_SINK"}},
	},
	{
		name: "the server is of another user",
		machine: machine{
			sinkErr: errNone, env: inSession, files: map[string]string{native: "!socket"},
			barred: native, owners: map[string]string{native: "berta:berta"},
		},
		sockets: []Socket{{Path: native, From: "XDG_RUNTIME_DIR", InUse: true, Detail: "no permission: it belongs to berta",
			Protocol: "pulse"}},
		advice: []Advice{{"the sound server belongs to berta", "run it as berta"}},
	},
	{
		name: "the server is of another user, and there is one of this user",
		machine: machine{
			sinkErr: errNone, env: map[string]string{"PULSE_SERVER": "/tmp/x"},
			files:  map[string]string{"/tmp/x": "!socket", native: "!socket"},
			barred: "/tmp/x", owners: map[string]string{"/tmp/x": "berta:berta"},
		},
		advice: []Advice{{"a sound server at " + native + " is not used", "export PULSE_SERVER=unix:" + native}},
	},
	{
		name: "the folder is of another user, under sudo",
		machine: machine{
			sinkErr: errNone, env: files(inSession, map[string]string{"SUDO_USER": "berta"}), barred: session + "/",
		},
		sockets: []Socket{{Path: native, From: "XDG_RUNTIME_DIR", InUse: true, Detail: "no permission for its folder",
			Protocol: "pulse"}},
		advice: []Advice{{"the sound server belongs to another user", "run it without sudo"}},
	},
	{
		name:    "the folder is of somebody nobody knows",
		machine: machine{sinkErr: errNone, env: inSession, barred: session + "/"},
	},
	{
		name: "PipeWire does not answer",
		machine: machine{
			sinkErr: errSilent, env: inSession, programs: "pipewire-pulse pulseaudio",
			files: files(units, map[string]string{native: "!socket"}),
		},
		sockets: []Socket{{Path: native, From: "XDG_RUNTIME_DIR", InUse: true, Detail: "does not answer", Protocol: "pulse"}},
		advice:  []Advice{{"the sound server does not answer", "systemctl --user restart pipewire-pulse"}},
	},
	{
		name: "PulseAudio does not answer",
		machine: machine{
			sinkErr: errSilent, env: inSession, programs: "pulseaudio",
			files: files(oneCard, map[string]string{native: "!socket"}),
		},
		advice: []Advice{{"the sound server does not answer", "pulseaudio --kill; pulseaudio --start"}},
	},
	{
		name: "the server of PULSE_SERVER does not answer",
		machine: machine{
			sinkErr: errSilent, env: map[string]string{"PULSE_SERVER": "/tmp/x"}, programs: "pulseaudio",
			files: map[string]string{"/tmp/x": "!socket"},
		},
		sockets: []Socket{{Path: "/tmp/x", From: "PULSE_SERVER", InUse: true, Detail: "does not answer", Protocol: "pulse"}},
	},
	{
		name: "the server has ended, and can be started",
		machine: machine{
			sinkErr: errRefused, env: inSession, programs: "pulseaudio",
			files: files(oneCard, map[string]string{native: "!socket"}),
		},
		sockets: []Socket{{Path: native, From: "XDG_RUNTIME_DIR", InUse: true, Detail: "its server is gone",
			Protocol: "pulse"}},
		advice: []Advice{{"no sound server runs", "pulseaudio --start"}},
	},
	{
		name: "the server refuses",
		machine: machine{
			sinkErr: errors.New("pulse: it refuses access"), env: inSession, files: map[string]string{native: "!socket"},
		},
		sockets: []Socket{{Path: native, From: "XDG_RUNTIME_DIR", InUse: true, Detail: "it refuses access", Protocol: "pulse"}},
	},
	{
		name: "systemd can start a server",
		machine: machine{sinkErr: errNone, env: inSession, programs: "pipewire-pulse pulseaudio",
			files: files(units, oneCard)},
		sockets: []Socket{{Path: native, From: "XDG_RUNTIME_DIR", InUse: true, Detail: "not there", Protocol: "pulse"}},
		advice:  []Advice{{"no sound server runs", "systemctl --user start pipewire-pulse.socket"}},
	},
	{
		name: "the folder of the session is there, and no variable",
		machine: machine{sinkErr: errNone, programs: "pulseaudio",
			files: files(oneCard, map[string]string{session: "!folder"})},
		advice: []Advice{{"XDG_RUNTIME_DIR is not set, so no sound server can be found",
			"export XDG_RUNTIME_DIR=" + session}},
	},
	{
		name: "PipeWire runs without its PulseAudio server",
		machine: machine{
			sinkErr: errNone, env: inSession, programs: "pipewire pipewire-pulse", files: map[string]string{wire: "!socket"},
		},
		advice: []Advice{{"PipeWire runs without its PulseAudio server", "pipewire-pulse &"}},
	},
	{
		name: "the server has no output",
		machine: machine{
			env: inSession, files: map[string]string{native: "!socket"}, sinks: []pulse.Sink{{Name: "auto_null", Default: true}},
			drivers: drivers(&player{sink: "auto_null"}, nil, &player{}, nil),
		},
		details: []string{"the sound server has no output",
			"not tried: it plays through the same server"},
	},
	{
		name: "PipeWire without a session manager that is known",
		machine: machine{
			env: inSession, programs: "wireplumber",
			files:   files(units, oneCard, map[string]string{native: "!socket", wire: "!socket"}),
			drivers: drivers(nil, errors.New("pulse: the sound server has no output"), nil, errNone),
		},
		advice: []Advice{{"PipeWire sees no sound card", "systemctl --user restart wireplumber"}},
	},
	{
		name: "PipeWire has no card to find",
		machine: machine{
			env: inSession, programs: "wireplumber", files: files(units, map[string]string{native: "!socket", wire: "!socket"}),
			drivers: drivers(nil, errors.New("pulse: the sound server has no output"), nil, errNone),
		},
	},
	{
		name: "muted",
		machine: machine{
			env: inSession, programs: "pactl", sinks: []pulse.Sink{{Name: "the speakers", Muted: true},
				{Name: "a", Default: true}},
			drivers: drivers(&player{sink: "the speakers"}, nil, &player{}, nil),
		},
		details: []string{"the sink the speakers is muted", "not tried: it plays through the same server"},
		advice:  []Advice{{"the sink the speakers is muted", "pactl set-sink-mute 'the speakers' 0"}},
	},
	{
		name: "suspended",
		machine: machine{
			env: inSession, programs: "pactl", sinks: []pulse.Sink{{Name: "a", Suspended: true}},
			drivers: drivers(&player{sink: "a", only: 1, suspended: true}, nil, &player{}, nil),
		},
		details: []string{"the sink is suspended", "not tried: it plays through the same server"},
		advice:  []Advice{{"the sink is suspended", "pactl suspend-sink a 0"}},
	},
	{
		name: "the server goes while it plays, and there is a card",
		machine: machine{
			env: inSession, drivers: drivers(&player{only: 2e9, dies: errors.New("pulse: gone")}, nil, &player{}, nil),
		},
		details: []string{"gone", "ALSA"},
	},
}
