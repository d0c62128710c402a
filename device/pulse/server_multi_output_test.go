//go:build linux

package pulse

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"voicepool/device"
	"voicepool/pcm"
)

// period is a common period of all tones, in frames.
const period = 480

// tones is a source with several outputs. Each channel has its own tone, a multiple of 100 Hz.
type tones struct {
	outputs int
	table   []pcm.Frame // one period of all outputs
	n       int         // index of the next frame
}

func newTones(outputs int) *tones {
	s := &tones{outputs: outputs}
	for i := range period * outputs {
		var f pcm.Frame
		for c := range f {
			f[c] = float32(0.5 * math.Sin(2*math.Pi*hertz(2*(i%outputs)+c)*float64(i/outputs)/48000))
		}
		s.table = append(s.table, f)
	}
	return s
}

func (s *tones) Outputs() int { return s.outputs }

func (s *tones) Render(dst []pcm.Frame) {
	for i := range dst {
		dst[i] = s.table[s.n]
		s.n = (s.n + 1) % len(s.table)
	}
}

// hertz returns the frequency of a channel.
func hertz(channel int) float64 { return 100 * float64(channel+1) }

// hear records half a second from a monitor, by channel, after initial silence.
func hear(t *testing.T, monitor, places string, channels int) [][]float64 {
	t.Helper()
	record := exec.Command("parec", "--raw", "--device="+monitor, "--rate=48000", "--format=float32le",
		fmt.Sprint("--channels=", channels), "--channel-map="+places, "--latency-msec=20")
	out, err := record.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := record.Start(); err != nil {
		t.Fatal(err)
	}
	defer record.Wait()
	defer record.Process.Kill()
	in, frame := bufio.NewReader(out), make([]byte, 4*channels)
	heard := make([][]float64, channels)
	for n := 0; len(heard[0]) < 24000; n++ {
		if _, err := io.ReadFull(in, frame); err != nil || n == 20*48000 {
			t.Fatalf("%d frames were recorded, %v", n, err)
		}
		if n < 24000 { // the stream may begin until then
			continue
		}
		for c := range heard {
			heard[c] = append(heard[c], float64(math.Float32frombits(binary.LittleEndian.Uint32(frame[4*c:]))))
		}
	}
	return heard
}

// level returns the level of a tone in a recording: the median of its amplitude in each period. A busy machine
// may cause a gap, which affects only few periods.
func level(x []float64, hz float64) float64 {
	var all []float64
	for part := range slices.Chunk(x, period) {
		re, im := 0.0, 0.0
		for i, v := range part {
			re += v * math.Cos(2*math.Pi*hz*float64(i)/48000)
			im += v * math.Sin(2*math.Pi*hz*float64(i)/48000)
		}
		all = append(all, 2*math.Hypot(re, im)/period)
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// TestServerOutputs checks that each channel of a sink plays exactly its channel of the outputs. A sink with fewer
// channels is rejected, and a stream that is moved to one is lost.
func TestServerOutputs(t *testing.T) {
	openServer(t, Config{}).Close()
	surround := "front-left,front-right,rear-left,rear-right,front-center,lfe,side-left,side-right"
	for _, c := range []struct {
		outputs int
		places  string
	}{
		{2, "front-left,front-right,rear-left,rear-right"}, {2, aux(4)},
		{4, surround}, {3, surround}, {4, aux(8)}, {3, aux(10)}, {16, aux(32)},
	} {
		channels := strings.Count(c.places, ",") + 1
		var d *Device
		var module string
		for try := 0; ; try++ { // on a busy machine, PipeWire sometimes connects the channels of a new sink in another order
			out, err := exec.Command("pactl", "load-module", "module-null-sink", "sink_name=wide", "rate=48000",
				"format=float32le", "norewinds=1", fmt.Sprint("channels=", channels), "channel_map="+c.places).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			module = strings.TrimSpace(string(out))
			d = openServer(t, Config{Sink: "wide", Outputs: c.outputs, Buffer: 200 * time.Millisecond})
			if err := d.Start(newTones(c.outputs)); err != nil {
				t.Fatal(err)
			}
			wrong := ""
			for channel, x := range hear(t, "wide.monitor", c.places, channels) {
				for tone := range channels {
					want := 0.0
					if tone == channel && channel < 2*c.outputs {
						want = 0.5
					}
					if got := level(x, hertz(tone)); math.Abs(got-want) > 0.01 {
						wrong += fmt.Sprintf("\n%d outputs on %d channels: channel %d has %.3f of the tone of channel %d, want %.3f",
							c.outputs, channels, channel, got, tone, want)
					}
				}
			}
			if wrong == "" {
				break
			}
			if try == 4 {
				t.Fatal("on five sinks:", wrong)
			}
			t.Log(wrong)
			d.Close()
			pactl(t, "unload-module", module)
		}
		t.Logf("%d outputs: %d frames, %d underflows", c.outputs, d.Frames(), d.Underflows())
		want := fmt.Sprintf(`pulse: the sink "proof" plays 2 channels, %d outputs need %d; choose another sink, or fold the outputs into one (--fold)`,
			c.outputs, 2*c.outputs)
		if !move(t, d.Lost(), "wide", "proof") {
			t.Error("it was moved, and plays on")
		} else if err := d.Err(); err == nil || err.Error() != want {
			t.Errorf("it was moved: %v, want %s", err, want)
		}
		d.Close()
		_, err := Open(t.Context(), Config{Sink: "proof", Outputs: c.outputs})
		if !errors.Is(err, device.ErrOutputs) || err.Error() != want {
			t.Errorf("on a sink of two channels: %v, want %s", err, want)
		}
		pactl(t, "unload-module", module)
	}
}

// aux returns the channel map of a card with auxiliary channels.
func aux(channels int) string {
	names := make([]string, channels)
	for i := range names {
		names[i] = fmt.Sprint("aux", i)
	}
	return strings.Join(names, ",")
}

// move moves the only stream of the server to the sink to, and reports whether that closes lost. On a busy machine,
// PipeWire sometimes confirms the move and leaves the stream on the sink from; then move repeats it.
func move(t *testing.T, lost <-chan struct{}, from, to string) bool {
	t.Helper()
	for range 10 {
		stream, _ := input(t)
		pactl(t, "move-sink-input", stream, to)
		select {
		case <-lost:
			return true
		case <-time.After(5 * time.Second):
		}
		if _, sink := input(t); sink != from {
			return false
		}
		t.Logf("the server left the stream on the sink %s", from)
		pactl(t, "move-sink-input", stream, from) // the server ignores the same move twice
	}
	return false
}

// input returns the index of the only stream of the server and the name of its sink.
func input(t *testing.T) (index, sink string) {
	t.Helper()
	streams, sinks := list(t, "sink-inputs"), list(t, "sinks")
	if len(streams) != 1 {
		t.Fatalf("%d streams: %v", len(streams), streams)
	}
	for _, s := range sinks {
		if s[0] == streams[0][1] {
			return streams[0][0], s[1]
		}
	}
	return streams[0][0], ""
}

// list returns the fields of each line of a list of the server.
func list(t *testing.T, objects string) (lines [][]string) {
	t.Helper()
	out, err := exec.Command("pactl", "list", "short", objects).CombinedOutput()
	if err != nil {
		t.Fatalf("%v, %q", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if fields := strings.Split(line, "\t"); len(fields) > 2 {
			lines = append(lines, fields)
		}
	}
	return lines
}
