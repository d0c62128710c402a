package null_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/device"
	"voicepool/device/devicetest"
	"voicepool/device/null"
	"voicepool/internal/leak"
	"voicepool/pcm"
)

func TestMain(m *testing.M) { leak.Main(m) }

// counter is a source whose frames are numbers.
type counter struct {
	n      float32
	blocks []int
}

func (c *counter) Render(dst []pcm.Frame) {
	c.blocks = append(c.blocks, len(dst))
	for i := range dst {
		dst[i] = pcm.Frame{c.n, -c.n}
		c.n++
	}
}

func TestContract(t *testing.T) {
	t.Run("stepped", func(t *testing.T) {
		devicetest.Run(t, func(testing.TB) device.Device {
			return null.NewStepped(null.Config{Rate: 1000})
		}, func(d device.Device) { d.(*null.Stepped).Step(64) })
	})
	t.Run("paced", func(t *testing.T) {
		devicetest.Run(t, func(testing.TB) device.Device {
			return null.NewPaced(null.Config{Rate: 48000, Block: 64})
		}, nil)
	})
}

func TestStep(t *testing.T) {
	d := null.NewStepped(null.Config{})
	if got := d.Step(10); got != nil {
		t.Errorf("Step before Start gave %d frames, want none", len(got))
	}
	src := &counter{}
	if err := d.Start(src); err != nil {
		t.Fatal(err)
	}
	next := float32(0)
	for _, n := range []int{1, 7, 0, -5, 4096, 64} {
		got := d.Step(n)
		if len(got) != max(n, 0) {
			t.Fatalf("Step(%d) gave %d frames", n, len(got))
		}
		for i, f := range got {
			if f != (pcm.Frame{next, -next}) {
				t.Fatalf("Step(%d)[%d] = %v, want %v", n, i, f, pcm.Frame{next, -next})
			}
			next++
		}
	}
	if d.Frames() != 4168 {
		t.Errorf("Frames() = %d, want 4168", d.Frames())
	}
	if want := fmt.Sprint([]int{1, 7, 4096, 64}); fmt.Sprint(src.blocks) != want {
		t.Errorf("Render was asked for %v, want %s", src.blocks, want)
	}
	d.Close()
	if got := d.Step(10); got != nil {
		t.Errorf("Step after Close gave %d frames, want none", len(got))
	}
}

func TestStepDoesNotAllocate(t *testing.T) {
	d := null.NewStepped(null.Config{})
	d.Start(silence{})
	d.Step(512)
	if n := testing.AllocsPerRun(100, func() { d.Step(512); d.Step(7) }); n != 0 {
		t.Errorf("Step allocates %v times, want 0", n)
	}
}

type silence struct{}

func (silence) Render(dst []pcm.Frame) { clear(dst) }

func TestDefaults(t *testing.T) {
	for _, c := range []null.Config{{}, {Rate: -1, Block: -1}} {
		p, s := null.NewPaced(c), null.NewStepped(c)
		if p.Rate() != 48000 || p.Latency() != 512 || s.Rate() != 48000 || s.Latency() != 0 {
			t.Errorf("%+v: rates %d, %d, latencies %d, %d, want 48000 twice, 512 and 0",
				c, p.Rate(), s.Rate(), p.Latency(), s.Latency())
		}
	}
}

// A minute passes instantly: every block comes at its deadline, never earlier.
func TestPacedMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := null.NewPaced(null.Config{Rate: 44100, Block: 441})
		src := &counter{}
		if err := d.Start(src); err != nil {
			t.Fatal(err)
		}
		for _, at := range []struct {
			wait   time.Duration
			frames int64
		}{
			{0, 441},
			{10*time.Millisecond - 1, 441},
			{1, 882},
			{time.Minute - 10*time.Millisecond - 1, 60 * 44100},
			{1, 60*44100 + 441},
		} {
			time.Sleep(at.wait)
			synctest.Wait()
			if d.Frames() != at.frames {
				t.Fatalf("%d frames were pulled, want %d", d.Frames(), at.frames)
			}
		}
		d.Close()
		time.Sleep(time.Hour)
		if got := int64(src.n); got != d.Frames() || got != 60*44100+441 {
			t.Errorf("after Close %d frames were rendered and %d counted, want %d", got, d.Frames(), 60*44100+441)
		}
	})
}

func ExampleStepped() {
	d := null.NewStepped(null.Config{Rate: 8})
	defer d.Close()
	d.Start(&counter{})
	fmt.Println(d.Step(2))
	fmt.Println(d.Step(1))
	fmt.Println(d.Frames(), "frames")
	// Output:
	// [[0 -0] [1 -1]]
	// [[2 -2]]
	// 3 frames
}
