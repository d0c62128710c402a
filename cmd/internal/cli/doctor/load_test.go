package doctor

import (
	"maps"
	"regexp"
	"testing"
	"testing/synctest"
	"time"
)

var (
	underPressure = map[string]string{"/proc/pressure/cpu": "some avg10=95.09 avg60=92.23 avg300=80.79 total=5560737491\nfull avg10=0.00\n"}
	calm          = map[string]string{"/proc/pressure/cpu": "some avg10=3.50 avg60=92.23 avg300=80.79 total=5560737491\n"}
	loaded        = map[string]string{
		"/proc/loadavg": "9.14 8.62 13.29 8/138 1254\n", "/proc/stat": "cpu  1 2\ncpu0 1 2\ncpu1 3 4\nintr 5\n",
	}
)

const (
	waits = "programs waited for a processor in 95 % of the last 10 s"
	retry = "close other programs, and run the doctor again"
)

// loadFindings are about busy machines.
var loadFindings = []finding{
	{
		name:    "gaps under load",
		machine: machine{env: inSession, drivers: drivers(&player{dry: 1}, nil, nil, errNone), files: underPressure},
		advice: []Advice{{"the sound had gaps, and this machine is busy: " + waits,
			"close other programs, or play with a larger --buffer, as --buffer 100ms"}},
	},
	{
		name:    "gaps on a calm machine that was busy before",
		machine: machine{env: inSession, drivers: drivers(&player{dry: 1}, nil, nil, errNone), files: files(calm, loaded)},
		advice:  []Advice{{"the sound had gaps", "play with a larger --buffer, as --buffer 100ms"}},
	},
	{
		name: "no answer under load",
		machine: machine{
			sinkErr: errSilent, env: inSession, programs: "pipewire-pulse pulseaudio",
			files: files(units, loaded, map[string]string{native: "!socket"}),
		},
		advice: []Advice{{"this machine is busy: 9.1 programs want to run at the same time on 2 processors", retry}},
	},
	{
		name: "no answer under load, and there is another server",
		machine: machine{
			sinkErr: errSilent, env: inSession, programs: "pulseaudio",
			files: files(underPressure, map[string]string{native: "!socket", "/run/pulse/native": "!socket"}),
		},
		advice: []Advice{{"this machine is busy: " + waits, retry}},
	},
	{
		name: "the server that does not answer has the card",
		machine: machine{
			sinkErr: errSilent, env: inSession, programs: "pulseaudio",
			files: files(oneCard, map[string]string{
				native:                                 "!socket",
				"/proc/asound/card0/pcm0p/info":        "name: USB\nsubdevices_avail: 0\n",
				"/proc/asound/card0/pcm0p/sub0/status": "owner_pid   : 9\n",
				"/proc/9/comm":                         "pulseaudio\n",
			}),
		},
		advice: []Advice{{"the sound server does not answer", "pulseaudio --kill; pulseaudio --start"}},
	},
	{
		name: "stands still on a busy machine without figures",
		machine: machine{
			identity: Identity{OS: "windows", Arch: "amd64", User: "anna"}, paused: 120 * time.Millisecond,
			drivers: drivers(nil, nil, &player{only: time.Second}, nil)[1:],
		},
		advice: []Advice{{"this machine is busy: it did not run this program for 120 ms", retry}},
	},
	{
		name:    "no device on a busy machine",
		machine: machine{sinkErr: errNone, files: underPressure},
	},
}

// foreign matches words that make sense only on systems with ALSA, PulseAudio or PipeWire.
var foreign = regexp.MustCompile(`(?i)alsa|libasound|pulse|pipewire|wireplumber|pactl|systemctl|usermod|sudo|/dev/snd|docker|podman|sound server|export|unset`)

// TestSystems examines each machine as if it ran another system, with all files, variables and
// programs of Linux. The results and the advice must not be about Linux.
func TestSystems(t *testing.T) {
	for _, system := range []string{"windows", "darwin", "ios", "android", "js"} {
		for _, f := range findings {
			t.Run(system+"/"+f.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					m := f.machine.with(files(oneCard, map[string]string{
						"/.dockerenv": "", "/etc/os-release": "PRETTY_NAME=Debian\nID=debian\nVERSION_ID=13\n",
					}))
					m.drivers = m.Drivers()
					if m.drivers[0].Name == "pulse" {
						m.drivers = m.drivers[1:]
					}
					m.identity = Identity{OS: system, Arch: "amd64", User: `PC\anna`}
					m.env = maps.Clone(inSession)
					m.barred = "/dev/snd/"
					m.owners = map[string]string{"/dev/snd": "root:audio"}
					r := Examine(t.Context(), m, Options{})
					if len(r.Cards)+len(r.Sockets)+len(r.Variables) > 0 || r.System.Name != "" || r.System.Container != "" {
						t.Errorf("it has parts of Linux: %+v", r)
					}
					for _, a := range r.Advice {
						if foreign.MatchString(a.Why + " " + a.Do) {
							t.Errorf("%s: %s", a.Why, a.Do)
						}
					}
				})
			})
		}
	}
}

// TestBusy examines each machine while it is busy. A slow server must not be restarted, replaced or
// ended, and all other advice must be the same.
func TestBusy(t *testing.T) {
	blames := regexp.MustCompile(`restart pipewire|--kill|is not used|is in use`)
	for _, f := range findings {
		t.Run(f.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				quiet, busy := f.machine, f.machine
				busy.paused = time.Second
				was, is := Examine(t.Context(), quiet, Options{}), Examine(t.Context(), busy, Options{})
				slow := isTimeout(nil)
				for _, d := range is.Drivers {
					slow = slow || isTimeout(d.err)
				}
				if is.Busy == "" || slow != hasAdvice(is, "this machine is busy: "+is.Busy) && !is.Sound {
					t.Errorf("busy %q, drivers %+v, advice %q", is.Busy, is.Drivers, is.Advice)
				}
				for _, a := range is.Advice {
					if slow && blames.MatchString(a.Why+" "+a.Do) {
						t.Errorf("%s: %s", a.Why, a.Do)
					}
				}
				for _, a := range was.Advice {
					if !slow && was.Busy == "" && !hasAdvice(is, a.Why) && a.Why != "the sound had gaps" {
						t.Errorf("it lacks %s: %s", a.Why, a.Do)
					}
				}
			})
		})
	}
}

func hasAdvice(r *Report, why string) bool {
	for _, a := range r.Advice {
		if a.Why == why {
			return true
		}
	}
	return false
}
