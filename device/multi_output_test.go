package device_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/device"
	"voicepool/pcm"
)

// wide is a source with several outputs.
type wide struct {
	rated
	outputs int
}

func (w wide) Outputs() int { return w.outputs }

func TestCheckOutputs(t *testing.T) {
	const (
		more = "device: more outputs than channels: the source has 4 outputs (8 channels), the device plays 2 channels; " +
			"open the device for 4 outputs (Config.Outputs), or fold them into one (Config.Fold, --fold)"
		fewer = "device: fewer outputs than channels: the source has 1 output (2 channels), the device plays 8 channels; " +
			"open the device for 1 output (Config.Outputs)"
	)
	for _, c := range []struct {
		name    string
		src     device.Source
		outputs int
		want    error
		text    string
	}{
		{name: "none", outputs: 4, want: device.ErrNoSource, text: device.ErrNoSource.Error()},
		{name: "one of one", src: silent{}, outputs: 1},
		{name: "one that says so", src: wide{rated{rate: 44100}, 1}, outputs: 1},
		{name: "as many", src: wide{rated{rate: 44100}, 4}, outputs: 4},
		{name: "the most", src: wide{rated{rate: 44100}, device.MaxOutputs}, outputs: device.MaxOutputs},
		{name: "more", src: wide{rated{rate: 44100}, 4}, outputs: 1, want: device.ErrOutputs, text: more},
		{name: "fewer", src: silent{}, outputs: 4, want: device.ErrOutputs, text: fewer},
		{name: "more, measured", src: device.NewLoadMeter(wide{rated{rate: 44100}, 4}, 44100), outputs: 1, want: device.ErrOutputs, text: more},
		{name: "as many, measured", src: device.NewLoadMeter(wide{rated{rate: 44100}, 4}, 44100), outputs: 4},
		{name: "another rate", src: wide{rated{rate: 48000}, 4}, outputs: 4, want: device.ErrRate},
	} {
		err := device.CheckOutputs(c.src, 44100, c.outputs)
		if !errors.Is(err, c.want) || c.text != "" && err.Error() != c.text {
			t.Errorf("%s: %v, want %v, %s", c.name, err, c.want, c.text)
		}
		if c.outputs != 1 {
			continue
		}
		if stereo := device.Check(c.src, 44100); !errors.Is(stereo, c.want) {
			t.Errorf("%s: Check says %v, want %v", c.name, stereo, c.want)
		}
	}
}

func TestOutputsOf(t *testing.T) {
	for _, c := range []struct {
		src  device.Source
		want int
	}{{silent{}, 1}, {rated{rate: 8}, 1}, {wide{outputs: 7}, 7}, {device.NewLoadMeter(wide{outputs: 3}, 8), 3}} {
		if n := device.OutputsOf(c.src); n != c.want {
			t.Errorf("%T has %d outputs, want %d", c.src, n, c.want)
		}
	}
}

// slowWide takes as long as its blocks last, by the clock of synctest.
type slowWide struct{ wide }

func (s slowWide) Render(dst []pcm.Frame) {
	time.Sleep(pcm.Duration(int64(len(dst)/s.outputs), s.rate))
}

// TestLoadMeterOutputs checks that the duration of a block is independent of the number of outputs.
func TestLoadMeterOutputs(t *testing.T) {
	for _, outputs := range []int{1, 2, 4, 16} {
		synctest.Test(t, func(t *testing.T) {
			g := device.NewLoadMeter(slowWide{wide{rated{rate: 1000}, outputs}}, 1000)
			for range 5 {
				g.Render(make([]pcm.Frame, 250*outputs))
			}
			if l := g.Load(); l.Blocks != 5 || l.Late != 0 || l.Longest != 250*time.Millisecond || l.Mean != 1 {
				t.Errorf("%d outputs: %+v, want 5 blocks of 250 ms that took it all", outputs, l)
			}
		})
	}
}
