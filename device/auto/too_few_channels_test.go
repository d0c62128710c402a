package auto

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/device"
	"voicepool/device/null"
)

// TestTooFewChannels checks that a driver with two channels is not tried for more outputs, and the error explains
// that.
func TestTooFewChannels(t *testing.T) {
	refuse := func(err error) func(context.Context, *Config) (device.Device, error) {
		return func(context.Context, *Config) (device.Device, error) { return nil, err }
	}
	play := func(_ context.Context, c *Config) (device.Device, error) {
		return null.NewPaced(null.Config{Rate: c.Rate, Outputs: c.Outputs}), nil
	}
	tried := func(context.Context, *Config) (device.Device, error) {
		t.Error("a driver of two channels was tried")
		return nil, device.ErrUnavailable
	}
	const stereo = "oto is not tried: it plays 2 channels, 4 outputs need 8; fold them into one for it (--fold)"
	few := fmt.Errorf("pulse: the sink is small: %w", device.ErrOutputs)
	for _, c := range []struct {
		name    string
		outputs int
		drivers []*driver
		plays   string
		want    string
		is      error
	}{
		{name: "one output", outputs: 1, drivers: []*driver{{name: "oto", open: play}}, plays: "oto"},
		{name: "wide", outputs: 4, drivers: []*driver{{name: "oto", open: tried}, {name: "pulse", multiOutput: true, open: play}}, plays: "pulse"},
		{
			name: "narrow alone", outputs: 4, drivers: []*driver{{name: "oto", open: tried}},
			want: stereo, is: device.ErrOutputs,
		},
		{
			name: "no server", outputs: 4, is: device.ErrUnavailable,
			drivers: []*driver{
				{name: "pulse", multiOutput: true, open: refuse(fmt.Errorf("pulse: no server: %w", device.ErrUnavailable))},
				{name: "oto", open: tried},
			},
			want: "no server; " + stereo,
		},
		{
			name: "a small sink", outputs: 4, is: device.ErrOutputs,
			drivers: []*driver{{name: "pulse", multiOutput: true, open: refuse(few)}, {name: "oto", open: tried}},
			want:    "the sink is small: device: another number of outputs",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, err := find(Config{Outputs: c.outputs}, c.drivers)
				if c.want != "" {
					if err == nil || Reason(err) != c.want || !errors.Is(err, c.is) {
						t.Errorf("%v, want %s", err, c.want)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				defer d.Close()
				if d.Driver() != c.plays || d.Outputs() != c.outputs {
					t.Errorf("%v plays %d outputs", d, d.Outputs())
				}
			})
		})
	}
}

// TestTooFewChannelsIsFinal checks that if no driver can play the outputs, the device does not retry, and keeps time.
func TestTooFewChannelsIsFinal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, src := &server{}, &counter{t: t, outputs: 4}
		r := s.driver()
		r.multiOutput = false
		d := newDevice(Config{Rate: rate, Block: 8, Outputs: 4}, []*driver{r})
		defer d.Close()
		synctest.Wait()
		d.showFirst()
		if err := d.Start(src); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if s.asked != 0 || d.Err() == nil || d.Unheard() < 59*time.Second || src.n < 59*rate || src.n > 61*rate {
			t.Errorf("asked %d times, %v, %v unheard, %v frames", s.asked, d.Err(), d.Unheard(), src.n)
		}
	})
}

// TestOpenOutputs checks that Open uses the outputs of its source.
func TestOpenOutputs(t *testing.T) {
	quiet(t)
	d := Open(&counter{t: t, outputs: 3}, Config{Outputs: 7})
	defer d.Close()
	if d.Outputs() != 3 || device.OutputsOf(&cardSource{outputs: 3}) != 3 {
		t.Errorf("%d outputs, want 3", d.Outputs())
	}
	stereo := New(Config{Rate: rate})
	defer stereo.Close()
	if err := stereo.Start(&counter{t: t, outputs: 2}); !errors.Is(err, device.ErrOutputs) {
		t.Errorf("two outputs on a device of one: %v", err)
	}
}
