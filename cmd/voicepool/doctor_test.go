package main

import (
	"os"
	"strings"
	"testing"

	"voicepool/cmd/internal/cli/doctor"
	"voicepool/device/pulse"
)

// TestDoctorPage checks that docs/devices.md shows the output for its example machine.
func TestDoctorPage(t *testing.T) {
	native := "/run/user/1000/pulse/native"
	r := doctor.Report{
		System: doctor.System{Name: "Debian GNU/Linux 12 (bookworm)", OS: "linux", Arch: "amd64"},
		Drivers: []doctor.Trial{
			{Name: "pulse", Outputs: "PulseAudio, PipeWire", Detail: "the sink phones is muted"},
			{Name: "oto", Outputs: "PulseAudio, PipeWire, ALSA", Detail: "not tried: it plays through the same server"},
		},
		Variables: []doctor.Variable{
			{Name: "XDG_RUNTIME_DIR", Set: true, Value: "/run/user/1000"},
			{Name: "PULSE_SERVER"}, {Name: "PULSE_SINK"}, {Name: "PULSE_COOKIE"},
		},
		Sockets: []doctor.Socket{{Path: native, From: "XDG_RUNTIME_DIR", InUse: true, Usable: true, Detail: "answers"}},
		Sinks:   []pulse.Sink{{Name: "phones", Rate: 48000, Default: true, Muted: true}},
		Cards:   []doctor.Card{{Path: "/dev/snd/pcmC0D0p", Name: "ALC257 Analog", Usable: true, Detail: "there"}},
		Advice:  []doctor.Advice{{Why: "the sink phones is muted", Do: "pactl set-sink-mute phones 0"}},
	}
	var out strings.Builder
	if err := printReport(&out, &r); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/devices.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "```\n"+out.String()+"```\n") {
		t.Errorf("the page does not show\n%s", out.String())
	}
}

// TestDoctorLines checks lines that depend on the results.
func TestDoctorLines(t *testing.T) {
	for _, c := range []struct {
		name   string
		report doctor.Report
		want   []string // lines, with single spaces
	}{
		{
			name: "plays",
			report: doctor.Report{
				Sound: true, Drivers: []doctor.Trial{{Name: "pulse", Outputs: "PulseAudio", Plays: true, Detail: "phones"}},
				Measured: &doctor.Measured{Driver: "pulse", Seconds: 5.01, Latency: 30.24, Worst: 38, Queries: 45, Longest: 12},
			},
			want: []string{
				"driver pulse plays on phones",
				"measured pulse 5.0 s: latency 30.2 ms, at most 38.0 ms; no gap, longest pause 12.0 ms",
				"sound came out",
			},
		},
		{
			name: "one gap, and a latency that nobody measured",
			report: doctor.Report{Measured: &doctor.Measured{Driver: "oto", Seconds: 5, Latency: 85.3, Worst: 85.3, Gaps: 1,
				Longest: 146.6}},
			want: []string{
				"measured oto 5.0 s: latency at most 85.3 ms (from the driver); 1 gap, longest pause 146.6 ms",
				"no sound came out",
			},
		},
		{
			name:   "a busy machine",
			report: doctor.Report{Busy: "it did not run this program for 120 ms"},
			want:   []string{"busy this machine it did not run this program for 120 ms", "no sound came out"},
		},
		{
			name: "names with what no line can hold",
			report: doctor.Report{
				System: doctor.System{OS: "linux", Arch: "arm64", Name: "a\tb", Container: "podman"},
				Sinks:  []pulse.Sink{{Name: "x\ny\tz", Rate: 8000, Suspended: true}},
			},
			want: []string{"system linux/arm64 a b in a container of podman", "sink x y z 8000 Hz, suspended"},
		},
		{
			name: "a variable that is empty, a driver that was left out",
			report: doctor.Report{
				Drivers:   []doctor.Trial{{Name: "oto", Detail: "it was left out"}},
				Variables: []doctor.Variable{{Name: "PULSE_SINK", Set: true}},
			},
			want: []string{"built in oto no: built with the tag nooto", "variable PULSE_SINK set but empty", "driver oto it was left out"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			if err := printReport(&out, &c.report); err != nil {
				t.Fatal(err)
			}
			text := ""
			for line := range strings.Lines(out.String()) {
				text += strings.Join(strings.Fields(line), " ") + "\n"
			}
			for _, line := range c.want {
				if !strings.Contains("\n"+text, "\n"+line+"\n") {
					t.Errorf("no line %q in\n%s", line, text)
				}
			}
		})
	}
}
