//go:build linux

package pulse

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"voicepool/device"
	"voicepool/device/devicetest"
	"voicepool/device/wav"
	"voicepool/pcm"
)

// The tests of this file need a sound server: .ci/every-frame-arrives starts them.
const serverTest = "VOICEPOOL_SERVER_TEST" // is set if a server is available

func openServer(t testing.TB, c Config) *Device {
	t.Helper()
	if os.Getenv(serverTest) == "" {
		t.Skipf("needs a sound server: run .ci/every-frame-arrives, which sets %s", serverTest)
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

// counted is a source that reports when enough frames were pulled.
type counted struct {
	device.Source
	left   int
	enough chan struct{}
}

func (c *counted) Render(dst []pcm.Frame) {
	c.Source.Render(dst)
	if c.left > 0 && c.left <= len(dst) {
		close(c.enough)
	}
	c.left -= len(dst)
}

// TestServerPlays also writes the played frames to a file. The script compares the two. The end has been played
// when twice the server's buffer has been pulled.
func TestServerPlays(t *testing.T) {
	d := openServer(t, Config{Sink: os.Getenv("VOICEPOOL_SERVER_SINK")})
	if d.Sink() != "proof" {
		t.Errorf("it plays on %s, want proof", d.Sink())
	}
	length := 5 * d.Rate()
	f, err := wav.Create(os.Getenv("VOICEPOOL_SERVER_FILE"), wav.Config{Rate: d.Rate(), Format: wav.F32})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 1))
	frames := make(prepared, length) // distinct, in steps that 24 bits can represent
	for i := range frames {
		for c := range frames[i] {
			frames[i][c] = float32(random.IntN(1<<23)-1<<22) / (1 << 24)
		}
	}
	f.Write(frames)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	src := &counted{&frames, length + d.Latency() + d.Rate()/2, make(chan struct{})}
	if err := d.Start(src); err != nil {
		t.Fatal(err)
	}
	await(t, src.enough)
	t.Logf("%d frames, %d underflows", d.Frames(), d.Underflows())
	if err := errors.Join(d.Err(), d.Close()); err != nil {
		t.Error(err)
	}
}

// prepared is a source of frames, followed by silence.
type prepared []pcm.Frame

func (p *prepared) Render(dst []pcm.Frame) {
	n := copy(dst, *p)
	clear(dst[n:])
	*p = (*p)[n:]
}

func await(t *testing.T, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("the device did not ask for enough within 30 s")
	}
}

// TestServerSinks checks that a loaded sink is listed. When it is unloaded, the server moves a stream to
// another sink. That is a loss if the sink was named, or if no sink is left.
func TestServerSinks(t *testing.T) {
	openServer(t, Config{}).Close()
	out, err := exec.Command("pactl", "load-module", "module-null-sink", "sink_name=second", "rate=44100",
		"sink_properties=device.description=another").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	list, err := Sinks(t.Context())
	want := Sink{Name: "second", Description: "another", Rate: 44100, Channels: 2}
	if len(list) != 2 || err != nil || list[0].Name != "proof" || !list[0].Default || list[1] != want {
		t.Errorf("Sinks = %+v, %v", list, err)
	}
	pactl(t, "set-default-sink", "second")
	named, d := openServer(t, Config{Sink: "second"}), openServer(t, Config{})
	after := &counted{silence{}, d.Rate(), make(chan struct{})}
	src := &counted{after, d.Rate() / 4, make(chan struct{})}
	err = errors.Join(named.Start(silence{}), d.Start(src))
	if err != nil || d.Sink() != "second" || named.Sink() != "second" {
		t.Fatal(err, d.Sink(), named.Sink())
	}
	await(t, src.enough)
	pactl(t, "unload-module", strings.TrimSpace(string(out)))
	await(t, named.Lost())
	if err := named.Err(); err == nil || err.Error() != `pulse: the sink "second" is gone` {
		t.Error(err)
	}
	named.Close()
	await(t, after.enough)
	if d.Sink() != "proof" || d.Err() != nil {
		t.Errorf("it plays on %s, %v", d.Sink(), d.Err())
	}
	_, err = Open(t.Context(), Config{Sink: "second"})
	if err == nil || !strings.Contains(err.Error(), `no sink "second", the nearest is "proof"`) {
		t.Errorf("a sink that is gone: %v", err)
	}
	pactl(t, "unload-module", "module-null-sink")
	await(t, d.Lost())
	if err := d.Err(); err == nil || err.Error() != `pulse: the sink "proof" is gone` {
		t.Error(err)
	}
	d.Close()
	if _, err := Open(t.Context(), Config{}); err == nil || !strings.Contains(err.Error(), "has no output") {
		t.Errorf("without a sink: %v", err)
	}
	pactl(t, "load-module", "module-null-sink", "sink_name=proof", "norewinds=1")
	openServer(t, Config{}).Close()
}

// TestServerHangs checks that a hung server does not block: the source keeps its time, and Close returns
// quickly.
func TestServerHangs(t *testing.T) {
	d := openServer(t, Config{})
	pid := os.Getenv("SOUND_PID")
	src := &counted{silence{}, 3 * d.Rate(), make(chan struct{})}
	begin := time.Now()
	d.Start(src)
	if out, err := exec.Command("kill", "-STOP", pid).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	defer exec.Command("kill", "-CONT", pid).Run()
	await(t, src.enough)
	took := time.Since(begin)
	if took < 2500*time.Millisecond || took > 3500*time.Millisecond || d.Frames() > int64(d.Rate()) {
		t.Errorf("3 s were asked for within %v; the server took %d frames", took, d.Frames())
	}
	begin = time.Now()
	d.Close()
	if took := time.Since(begin); took > 300*time.Millisecond {
		t.Errorf("Close took %v", took)
	}
	begin = time.Now()
	_, err := Open(t.Context(), Config{})
	if took := time.Since(begin); err == nil || took > 3*time.Second {
		t.Errorf("Open gave %v after %v", err, took)
	}
}
