package mixer_test

import (
	"testing"
	"time"

	"voicepool/mixer"
)

// mustReturn fails the test if call does not return, which means a deadlock. The timeout is far above the
// duration of any call, even on a loaded machine.
func mustReturn(t *testing.T, name string, call func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		call()
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Minute):
		t.Fatalf("%s does not return", name)
	}
}

// TestLeadOfBusGains checks that with a lead every call that sets or reads the gain of a bus returns, and
// that Bus.Gain returns the last gain.
func TestLeadOfBusGains(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Lead: 5 * ms, Clock: new(clock).read, Buses: []mixer.BusConfig{{Name: "a"}}})
	bus, err := m.Bus("a")
	if err != nil {
		t.Fatal(err)
	}
	left(m, 10)
	dropped := m.Engine().NewBatch()
	for _, set := range []struct {
		name string
		call func() error
		want float64
	}{
		{"Bus.SetGain", func() error { return bus.SetGain(-1) }, -1},
		{"Bus.Fade", func() error { return bus.Fade(-2, 10*ms) }, -2},
		{"Moment.SetGain", func() error { return m.Engine().At(mixer.Now).SetGain(mixer.TargetBus(bus), -3) }, -3},
		{"Moment.SetGain at a frame", func() error { return m.Engine().At(20).SetGain(mixer.TargetBus(bus), -4) }, -4},
		{"Moment.SetGain of a batch", func() error { return dropped.At(0).SetGain(mixer.TargetBus(bus), -5) }, -4},
		{"Moment.Drop", func() error { return m.Engine().At(mixer.Now).Drop(dropped) }, -4},
	} {
		mustReturn(t, set.name, func() {
			if err := set.call(); err != nil {
				t.Errorf("%s: %v", set.name, err)
			}
		})
		mustReturn(t, "Bus.Gain after "+set.name, func() {
			if got := float64(bus.Gain()); got != set.want {
				t.Errorf("%s leaves a gain of %v dB, want %v", set.name, got, set.want)
			}
		})
	}
}
