//go:build nooto

package oto

import (
	"errors"
	"testing"

	"voicepool/device"
)

func TestLeftOut(t *testing.T) {
	d, err := Open(Config{})
	if d != nil || !errors.Is(err, device.ErrUnavailable) {
		t.Errorf("Open = %v, %v, want nil and %v", d, err, device.ErrUnavailable)
	}
	for _, d := range Probe() {
		if d.Found || d.Detail == "" {
			t.Errorf("Probe: %+v, want nothing found and why", d)
		}
	}
}
