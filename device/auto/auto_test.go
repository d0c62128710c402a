package auto

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"voicepool/device"
	"voicepool/device/devicetest"
	"voicepool/internal/leak"
	"voicepool/pcm"
)

func TestMain(m *testing.M) { leak.Main(m) }

// quiet simulates a machine without sound, as far as possible.
func quiet(t testing.TB) {
	if paths, _ := filepath.Glob("/dev/snd/pcm*p"); len(paths) > 0 {
		t.Skip("this machine has a sound card")
	}
	t.Setenv("PULSE_SERVER", "/nowhere/native")
}

// source counts the frames that it renders at a rate.
type source struct {
	rate   int
	frames int
}

func (s *source) Rate() int { return s.rate }

func (s *source) Render(dst []pcm.Frame) {
	clear(dst)
	s.frames += len(dst)
}

func TestContract(t *testing.T) {
	t.Run("without sound", func(t *testing.T) {
		quiet(t)
		devicetest.Run(t, func(testing.TB) device.Device { return New(Config{Block: 64}) }, nil)
	})
	t.Run("with a card", func(t *testing.T) {
		t.Parallel() // it waits for blocks
		devicetest.Run(t, func(testing.TB) device.Device { return onPaced(Config{Block: 64}) }, nil)
	})
	t.Run("with a card of 8 channels", func(t *testing.T) {
		t.Parallel()
		devicetest.Run(t, func(testing.TB) device.Device { return onPaced(Config{Block: 64, Outputs: 4}) }, nil)
	})
}

func TestOpenWithoutSound(t *testing.T) {
	quiet(t)
	for _, c := range []struct {
		name   string
		rate   int
		config Config
	}{
		{name: "defaults", rate: 48000},
		{name: "a rate", rate: 44100, config: Config{Rate: 8000}}, // the rate of the source has priority
		{name: "a rate that no card takes", rate: 900},
		{name: "a buffer that no card takes", rate: 48000, config: Config{Buffer: time.Hour}},
		{name: "nonsense", rate: 48000, config: Config{Buffer: -1, Block: -1}},
		{name: "a driver that is none", rate: 48000, config: Config{Driver: "ot"}},
	} {
		src := &source{rate: c.rate}
		d := Open(src, c.config)
		if d.Driver() != "null" || d.Reason() == "" || d.String() != "null: "+d.Reason() ||
			d.Rate() != c.rate || d.Latency() < 1 || d.Err() != nil {
			t.Errorf("%s: %v at %d Hz, latency %d, error %v", c.name, d, d.Rate(), d.Latency(), d.Err())
		}
		if err := d.Start(src); err != device.ErrStarted {
			t.Errorf("%s: Start after Open = %v", c.name, err)
		}
		var e [2]Event
		if n := d.Events(e[:]); n != 1 || e[0].Kind != Lost || e[0].Frame != 0 {
			t.Errorf("%s: events %v", c.name, e[:n])
		}
		if err := d.Close(); err != nil {
			t.Errorf("%s: Close = %v", c.name, err)
		}
	}
}

func TestFindWithoutSound(t *testing.T) {
	quiet(t)
	for _, c := range []struct {
		name   string
		config Config
		want   string
	}{
		{name: "any", want: noCard},
		{name: "oto", config: Config{Driver: "oto"}, want: noCard},
		{name: "pulse", config: Config{Driver: "pulse"}, want: "no sound server at /nowhere/native"},
		{name: "a sink", config: Config{Sink: "desk"}, want: "no sound server at /nowhere/native"},
		{name: "no driver", config: Config{Driver: "otto"}, want: `auto: no driver "otto", want one of pulse, oto`},
		{name: "no sinks", config: Config{Driver: "oto", Sink: "desk"},
			want: `auto: oto has no sinks to choose from, want pulse for sink "desk"`},
	} {
		if d, err := Find(c.config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v, want %q", c.name, d, err, c.want)
		}
	}
}
