package null_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/device"
	"voicepool/device/devicetest"
	"voicepool/device/null"
	"voicepool/pcm"
)

// wide is a source with several outputs, whose frames identify the output.
type wide struct {
	outputs int
	n       int
	blocks  []int
}

func (w *wide) Outputs() int { return w.outputs }

func (w *wide) Render(dst []pcm.Frame) {
	w.blocks = append(w.blocks, len(dst))
	for i := range dst {
		dst[i] = pcm.Frame{float32(w.n / w.outputs), float32(w.n % w.outputs)}
		w.n++
	}
}

// slowWide is a Preparer.
type slowWide struct{ wide }

func (*slowWide) Prepare() int { return 100 }

func TestContractOutputs(t *testing.T) {
	for _, outputs := range []int{2, 4, 16} {
		t.Run(fmt.Sprint("stepped ", outputs), func(t *testing.T) {
			devicetest.Run(t, func(testing.TB) device.Device {
				return null.NewStepped(null.Config{Rate: 1000, Outputs: outputs})
			}, func(d device.Device) { d.(*null.Stepped).Step(64) })
		})
	}
	t.Run("paced", func(t *testing.T) {
		devicetest.Run(t, func(testing.TB) device.Device {
			return null.NewPaced(null.Config{Rate: 48000, Block: 64, Outputs: 4})
		}, nil)
	})
}

// TestStepOutputs checks that Step counts frames of one output, and returns the frames of all outputs.
func TestStepOutputs(t *testing.T) {
	for _, outputs := range []int{1, 2, 3, 4, 16} {
		d := null.NewStepped(null.Config{Outputs: outputs})
		src := &slowWide{wide{outputs: outputs}}
		if err := d.Start(src); err != nil {
			t.Fatal(err)
		}
		next := 0
		for _, n := range []int{1, 7, 250, 64} {
			got := d.Step(n)
			if len(got) != n*outputs {
				t.Fatalf("%d outputs: Step(%d) gave %d frames", outputs, n, len(got))
			}
			for i, f := range got {
				if want := (pcm.Frame{float32(next + i/outputs), float32(i % outputs)}); f != want {
					t.Fatalf("%d outputs: Step(%d)[%d] = %v, want %v", outputs, n, i, f, want)
				}
			}
			next += n
		}
		if d.Frames() != 322 || d.Outputs() != outputs {
			t.Errorf("%d frames of %d outputs, want 322 of %d", d.Frames(), d.Outputs(), outputs)
		}
		want := fmt.Sprint([]int{outputs, 7 * outputs, 100 * outputs, 100 * outputs, 50 * outputs, 64 * outputs})
		if fmt.Sprint(src.blocks) != want {
			t.Errorf("Render was asked for %v, want %s", src.blocks, want)
		}
	}
}

func TestStepOutputsDoesNotAllocate(t *testing.T) {
	d := null.NewStepped(null.Config{Outputs: 16})
	d.Start(wideSilence{})
	d.Step(512)
	if n := testing.AllocsPerRun(100, func() { d.Step(512); d.Step(7) }); n != 0 {
		t.Errorf("Step allocates %v times, want 0", n)
	}
}

type wideSilence struct{ silence }

func (wideSilence) Outputs() int { return 16 }

// TestPacedOutputs checks that the number of outputs does not affect the pace.
func TestPacedOutputs(t *testing.T) {
	for _, outputs := range []int{1, 2, 4, 16} {
		synctest.Test(t, func(t *testing.T) {
			d := null.NewPaced(null.Config{Rate: 44100, Block: 441, Outputs: outputs})
			src := &wide{outputs: outputs}
			if err := d.Start(src); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10*time.Second - 1)
			synctest.Wait()
			if d.Frames() != 10*44100 {
				t.Errorf("%d outputs: %d frames in 10 s, want %d", outputs, d.Frames(), 10*44100)
			}
			d.Close()
			if src.n != 10*44100*outputs {
				t.Errorf("%d outputs: %d frames were rendered, want %d", outputs, src.n, 10*44100*outputs)
			}
		})
	}
}

func TestOutputsInRange(t *testing.T) {
	for _, c := range []struct{ asked, want int }{{-1, 1}, {0, 1}, {1, 1}, {16, 16}, {17, 16}} {
		config := null.Config{Outputs: c.asked}
		if p, s := null.NewPaced(config).Outputs(), null.NewStepped(config).Outputs(); p != c.want || s != c.want {
			t.Errorf("%d outputs: %d and %d, want %d", c.asked, p, s, c.want)
		}
	}
}
