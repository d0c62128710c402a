package auto

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/pcm"
)

// sleeper is a source that can sleep.
type sleeper struct {
	asked  chan struct{}
	asleep time.Time
	frames int64
	fault  string

	outputs int // 0: one
}

func (d *sleeper) Outputs() int { return max(d.outputs, 1) }

func (d *sleeper) Render(dst []pcm.Frame) {
	if !d.asleep.IsZero() {
		d.fault = "rendered in its sleep"
	}
	d.frames += int64(len(dst) / d.Outputs())
}

func (d *sleeper) Sleep(at time.Time) bool {
	d.asleep = at
	return true
}

func (d *sleeper) Asked() <-chan struct{} { return d.asked }

func (d *sleeper) Wake(at time.Time) int64 {
	n := pcm.Frames(at.Sub(d.asleep), 48000)
	d.asleep = time.Time{}
	d.frames += n
	return n
}

// TestSourceGateSleep checks that only the holder can put the source to sleep. A new holder wakes it, and the frames
// that have passed count. Other callers do not wake it.
func TestSourceGateSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &sleeper{asked: make(chan struct{}, 1)}
		v := &sourceGate{wakeRequest: make(chan struct{}, 1), wakeNotice: make(chan struct{}, 1)}
		card, other := &cardSource{gate: v, attempt: 1, rate: 48000, outputs: 1}, &cardSource{gate: v, attempt: 2, rate: 48000, outputs: 1}
		v.open(src, 48000, 1)
		block := make([]pcm.Frame, 480)
		card.Render(block)
		if other.Sleep(time.Now()) || v.isAsleep() {
			t.Fatal("it sleeps for who does not hold it")
		}
		if !card.Sleep(time.Now()) || !v.isAsleep() || card.Sleep(time.Now()) {
			t.Fatal("it does not sleep once for who holds it")
		}
		time.Sleep(time.Second)
		other.Render(block)
		if v.render(keeperHolder, block); !v.isAsleep() || other.Wake(time.Now()) != 0 {
			t.Fatal("another wakes it")
		}
		if n := v.renderedFrames(); n != 48480 {
			t.Errorf("%d frames are counted in the sleep, want 48480", n)
		}
		if frames, last, _ := v.snapshot(); frames != 48480 || !last.Equal(time.Now()) {
			t.Errorf("a look sees %d frames, the last at %v", frames, last)
		}
		src.asked <- struct{}{}
		synctest.Wait()
		<-card.Asked()
		if n := card.Wake(time.Now()); n != 48000 || v.isAsleep() || len(v.wakeNotice) != 1 {
			t.Errorf("%d frames have passed, want 48000", n)
		}
		card.Render(block)
		if _, _, pause := v.snapshot(); pause > 0 {
			t.Errorf("the sleep is a pause of %v", pause)
		}

		card.Sleep(time.Now())
		time.Sleep(500 * time.Millisecond)
		v.transferToKeeper(v.renderedFrames(), time.Now())
		synctest.Wait()
		if len(card.Asked()) != 1 || v.isAsleep() || card.Wake(time.Now()) != 0 {
			t.Error("who held it is not told that it was taken away")
		}
		if n := v.renderedFrames(); n != 48480+480+24000 || src.frames != n {
			t.Errorf("%d frames, of the source %d", n, src.frames)
		}
		v.offer(2, 0)
		other.Render(block)
		if !other.Sleep(time.Now()) { // an old value in the channel is not for this holder
			t.Error("the next card cannot let it sleep")
		}
		synctest.Wait()
		if len(other.Asked()) != 0 {
			t.Error("the next card is woken at once")
		}
		v.close()
		synctest.Wait()
		if src.fault != "" {
			t.Error(src.fault)
		}
	})
}

// TestKeeperSleeps checks that without a card the source sleeps, too, and keeps time, with any number of
// outputs.
func TestKeeperSleeps(t *testing.T) {
	for _, outputs := range []int{1, 4, 16} {
		t.Run(fmt.Sprint(outputs), func(t *testing.T) { keeperSleeps(t, outputs) })
	}
}

func keeperSleeps(t *testing.T, outputs int) {
	synctest.Test(t, func(t *testing.T) {
		src := &sleeper{asked: make(chan struct{}, 1), outputs: outputs}
		v := &sourceGate{wakeRequest: make(chan struct{}, 1), wakeNotice: make(chan struct{}, 1)}
		v.open(src, 48000, keeperHolder)
		begin := time.Now()
		k := newKeeper(v, v.transferToKeeper(0, begin), &Config{Rate: 48000, Block: 480, Outputs: outputs})
		defer k.end()
		time.Sleep(900 * time.Millisecond)
		if synctest.Wait(); v.isAsleep() {
			t.Fatal("it sleeps before a second is over")
		}
		for i := range 200 {
			time.Sleep(time.Duration(301*i) * time.Millisecond / 10)
			synctest.Wait()
			if i == 100 {
				src.asked <- struct{}{}
				synctest.Wait()
				if v.isAsleep() {
					t.Fatal("what is asked for does not wake it")
				}
			}
			if got, want := v.renderedFrames(), pcm.Frames(time.Since(begin), 48000); got < want || got > want+480 {
				t.Fatalf("%d frames after %v, want %d", got, time.Since(begin), want)
			}
		}
		if !v.isAsleep() {
			t.Error("it does not sleep")
		}
		k.end()
		v.close()
		if src.fault != "" {
			t.Error(src.fault)
		}
	})
}
