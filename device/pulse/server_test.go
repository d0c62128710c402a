//go:build linux

package pulse

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"voicepool/device/devicetest"
	"voicepool/pcm"
)

// The tests of this file need a sound server: .ci/soundserver starts them.
const serverTest = "VOICEPOOL_SERVER_TEST" // is set where there is one

func openServer(t testing.TB, c Config) *Device {
	t.Helper()
	if os.Getenv(serverTest) != "pulse" {
		t.Skipf("needs a sound server: run .ci/soundserver, which sets %s=pulse", serverTest)
	}
	start := time.Now()
	d, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("opened after %v on %s, %+v", time.Since(start), d.Sink(), d.Latencies())
	return d
}

func TestServerContract(t *testing.T) {
	for _, buffer := range []time.Duration{5 * time.Millisecond, 40 * time.Millisecond, time.Second} {
		d := openServer(t, Config{Name: "voicepool test", Buffer: buffer})
		devicetest.Life(t, d, nil)
		t.Logf("%d frames, %d underflows", d.Frames(), d.Underflows())
	}
}

type silence struct{}

func (silence) Render(dst []pcm.Frame) { clear(dst) }

func pactl(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("pactl", args...).CombinedOutput(); err != nil {
		t.Fatalf("pactl %v: %v\n%s", args, err, out)
	}
}
