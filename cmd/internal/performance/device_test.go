package performance

import (
	"fmt"
	"testing"

	"voicepool/device"
)

func TestWhy(t *testing.T) {
	if got := Why(fmt.Errorf("oto: no card: %w", device.ErrUnavailable)); got != "no card" {
		t.Errorf("why: %q", got)
	}
}
