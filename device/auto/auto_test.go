package auto

import (
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/device"
	"voicepool/device/devicetest"
	"voicepool/device/null"
	"voicepool/pcm"
)

// quiet makes this a machine without sound, as far as that can be done.
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
	quiet(t)
	devicetest.Run(t, func(testing.TB) device.Device { return New(Config{Block: 64}) }, nil)
}

func TestOpenWithoutSound(t *testing.T) {
	quiet(t)
	for _, c := range []struct {
		name   string
		rate   int
		config Config
	}{
		{name: "defaults", rate: 48000},
		{name: "a rate", rate: 44100, config: Config{Rate: 8000}}, // that of the source counts
		{name: "a rate that no card takes", rate: 900},
		{name: "a buffer that no card takes", rate: 48000, config: Config{Buffer: time.Hour}},
		{name: "nonsense", rate: 48000, config: Config{Buffer: -1, Block: -1}},
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
		if err := d.Close(); err != nil {
			t.Errorf("%s: Close = %v", c.name, err)
		}
	}
}

// TestChoose: the card where there is one, else a device that keeps time, which says why.
func TestChoose(t *testing.T) {
	card := null.NewPaced(null.Config{})
	if d := choose(card, nil, Config{}); d.device != card || fmt.Sprint(d) != "oto" || d.Reason() != "" {
		t.Errorf("with a card: %v", d)
	}
	synctest.Test(t, func(t *testing.T) {
		d := choose(nil, fmt.Errorf("oto: no card\nat all: %w", device.ErrUnavailable), Config{Rate: 1000, Block: 10})
		src := &source{rate: 1000}
		if err := d.Start(src); err != nil || fmt.Sprint(d) != "null: no card at all" {
			t.Fatal(d, err)
		}
		time.Sleep(time.Minute)
		if err := d.Close(); err != nil || src.frames < 60_000 || src.frames > 60_010 {
			t.Errorf("%d frames in a minute, %v", src.frames, err)
		}
	})
}
