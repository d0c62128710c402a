package devicetest

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/device"
	"voicepool/pcm"
)

// recorder is a testing.TB that may fail without failing its test.
type recorder struct {
	testing.TB
	mu   sync.Mutex
	said []string
}

func (r *recorder) Helper()           {}
func (r *recorder) Error(args ...any) { r.note(fmt.Sprint(args...)) }
func (r *recorder) Errorf(format string, args ...any) {
	r.note(fmt.Sprintf(format, args...))
}
func (r *recorder) Fatalf(format string, args ...any) {
	r.note(fmt.Sprintf(format, args...))
	runtime.Goexit()
}

func (r *recorder) note(s string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = append(r.said, s)
}

// try runs one of the tests on a device and returns its errors.
func try(t *testing.T, test func(testing.TB)) string {
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(r)
	}()
	<-done
	return strings.Join(r.said, "\n")
}

// faulty is a device that pulls by itself and can break every rule.
type faulty struct {
	rate      int
	err       error
	takesNil  bool
	takesAny  bool // accepts a source of any rate
	takesWide bool // accepts a source of any number of outputs
	outputs   int  // more than one; 0: 1
	ragged    bool // pulls a block that ends within a frame
	twice     bool // accepts a second Start
	reopens   bool // accepts a Start after Close
	parallel  bool // pulls by two goroutines
	empty     bool // pulls empty blocks
	leaks     bool // pulls on after Close
	hasty     bool // Close does not wait
	closeErrs bool

	started, closed bool
	stop            chan struct{}
	wg              sync.WaitGroup
}

func (d *faulty) Rate() int    { return d.rate }
func (d *faulty) Latency() int { return 0 }
func (d *faulty) Err() error   { return d.err }
func (d *faulty) Outputs() int { return max(d.outputs, 1) }

func (d *faulty) Start(src device.Source) error {
	rated, ok := src.(device.Rated)
	switch {
	case src == nil && !d.takesNil:
		return device.ErrNoSource
	case ok && rated.Rate() != d.rate && !d.takesAny:
		return device.ErrRate
	case src != nil && device.OutputsOf(src) != d.Outputs() && !d.takesWide:
		return device.ErrOutputs
	case d.closed && !d.reopens:
		return device.ErrClosed
	case d.started && !d.twice:
		return device.ErrStarted
	case src == nil || d.started:
		return nil
	}
	d.started, d.stop = true, make(chan struct{})
	pull := func() {
		defer d.wg.Done()
		block := make([]pcm.Frame, 64*d.Outputs())
		if d.ragged {
			block = block[1:]
		}
		if d.empty {
			src.Render(nil)
		}
		for {
			select {
			case <-d.stop:
				return
			case <-time.After(100 * time.Microsecond):
				src.Render(block)
			}
		}
	}
	d.wg.Add(1)
	go pull()
	if d.parallel {
		d.wg.Add(1)
		go pull()
	}
	return nil
}

// finish ends the goroutines that Close has not ended.
func (d *faulty) finish() {
	select {
	case <-d.stop:
	default:
		if d.stop != nil {
			close(d.stop)
		}
	}
	d.wg.Wait()
}

func (d *faulty) Close() error {
	if d.closed || !d.started {
		d.closed = true
		if d.closeErrs {
			return fmt.Errorf("closed already")
		}
		return nil
	}
	d.closed = true
	if !d.leaks {
		close(d.stop)
	}
	if !d.leaks && !d.hasty {
		d.wg.Wait()
	}
	return nil
}

func TestLifeFindsFaults(t *testing.T) {
	for _, test := range []struct {
		name   string
		device *faulty
		want   string // "" for a correct device
	}{
		{name: "good", device: &faulty{rate: 1000}},
		{name: "no rate", device: &faulty{}, want: "Rate() = 0"},
		{
			name: "an error", device: &faulty{rate: 1000, err: device.ErrUnavailable},
			want: "Err() = device: none available before Start",
		},
		{name: "takes nil", device: &faulty{rate: 1000, takesNil: true}, want: "Start(nil) = <nil>"},
		{
			name: "takes any rate", device: &faulty{rate: 1000, takesAny: true},
			want: "a source at 1001 Hz by a device at 1000 Hz = <nil>",
		},
		{name: "good, wide", device: &faulty{rate: 1000, outputs: 4}},
		{name: "good, widest", device: &faulty{rate: 1000, outputs: device.MaxOutputs}},
		{
			name: "takes more", device: &faulty{rate: 1000, takesWide: true},
			want: "a source of 2 outputs by a device of 1 = <nil>",
		},
		{
			name: "takes fewer", device: &faulty{rate: 1000, outputs: 16, takesWide: true},
			want: "a source of 15 outputs by a device of 16 = <nil>",
		},
		{
			name: "ragged", device: &faulty{rate: 1000, outputs: 4, ragged: true},
			want: "called with 255 frames, of 4 outputs",
		},
		{name: "starts twice", device: &faulty{rate: 1000, twice: true}, want: "second Start = <nil>"},
		{
			name: "reopens", device: &faulty{rate: 1000, reopens: true},
			want: "Start after Close = device: already started",
		},
		{
			name: "two at once", device: &faulty{rate: 1_000_000, parallel: true},
			want: "while another Render was under way",
		},
		{name: "empty blocks", device: &faulty{rate: 1000, empty: true}, want: "empty block, at frame 0"},
		{name: "pulls on", device: &faulty{rate: 1000, leaks: true}, want: "Render was called after Close"},
		{
			name: "second Close fails", device: &faulty{rate: 1000, closeErrs: true},
			want: "second Close = closed already",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := test.device
				said := try(t, func(r testing.TB) { Life(r, d, nil) })
				d.finish()
				if test.want == "" && said != "" || !strings.Contains(said, test.want) {
					t.Errorf("Life said %q, want %q", said, test.want)
				}
			})
		})
	}
}

func TestCloseFaults(t *testing.T) {
	hasty := &faulty{rate: 1000, hasty: true}
	if said := try(t, func(r testing.TB) { closeBlocks(r, hasty, nil, patience) }); !strings.Contains(said, "Close came back") {
		t.Errorf("a Close that does not wait: %q", said)
	}
	hasty.wg.Wait()
	if said := try(t, func(r testing.TB) { closeFirst(r, &faulty{rate: 1000, reopens: true}) }); !strings.Contains(said, "Start after Close = <nil>") {
		t.Errorf("a device that starts after Close: %q", said)
	}
}
