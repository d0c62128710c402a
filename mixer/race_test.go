package mixer_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"voicepool/device"
	"voicepool/device/null"
	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
)

// long selects tests of many minutes, run by hand.
var long = longtest.Day()

// hurried is a device that renders as fast as it can, in blocks of all lengths.
type hurried struct {
	stop atomic.Bool
	done sync.WaitGroup
}

func (d *hurried) Start(src device.Source) error {
	d.done.Go(func() {
		block := make([]pcm.Frame, 96)
		for n := 0; !d.stop.Load(); n++ {
			src.Render(block[:1+n%96])
		}
	})
	return nil
}

func (d *hurried) Close() error {
	d.stop.Store(true)
	d.done.Wait()
	return nil
}

// identities checks the identities of Stats after every block of a mixer.
type identities struct {
	t      *testing.T
	m      *mixer.Mixer
	blocks atomic.Int64
}

// Render renders m and then checks the counters.
func (s *identities) Render(dst []pcm.Frame) {
	s.m.Render(dst)
	s.blocks.Add(1)
	s.check()
}

// check reports an error and returns false if the counters of the mixer do not add up.
func (s *identities) check() bool {
	st := s.m.Stats()
	ok := st.Asked == st.Started+st.Rejected+st.Limited+st.Coalesced && st.Started == st.Ended+st.Stopped+st.Stolen+st.Playing
	if !ok {
		s.t.Errorf("the identities do not hold: %+v", st)
	}
	return ok
}

// TestEightCallers makes all kinds of calls from eight goroutines while a device renders: as fast as
// possible, or in the long variant like a sound card. In the middle the device is closed, and another one
// continues after a pause. The callers check each snapshot. In the end all voices are over and all
// records are free. Finally the mixer is closed during calls. The race detector checks accesses.
func TestEightCallers(t *testing.T) {
	const rate, voices, commands = 8000, 12, 256
	last := 1200 * time.Millisecond
	switch {
	case long:
		last = 30 * time.Second
	case !longtest.Enabled():
		last = 300 * time.Millisecond
	}
	m := newMixer(t, mixer.Config{Rate: rate, Voices: voices, MaxVoices: 16, Commands: commands, NoLimiter: true, Buses: []mixer.BusConfig{
		{Name: "top"}, {Name: "below", Parent: "top", Voices: 6}, {Name: "music", Duck: mixer.Duck{When: "top", By: 6, Hold: time.Millisecond}},
	}})
	defer m.Close()
	var buses []mixer.Bus
	for _, name := range []string{"master", "top", "below", "music"} {
		b, _ := m.Bus(name)
		buses = append(buses, b)
	}
	group, err := m.NewGroup("group", mixer.GroupOptions{Voices: 3, Coalesce: time.Millisecond})
	must(t, err)
	var feeds sync.Map // the open ones, and some more
	var opened atomic.Int64
	stream, err := sounds.NewStream(sounds.Stream{Rate: rate, Frames: 4000, Open: func(c sounds.PlayRange) (*sounds.StreamBuffer, error) {
		f := sounds.NewStreamBuffer(4096, c)
		f.Write(make([]pcm.Frame, 2000))
		f.End()
		if feeds.Store(f, true); opened.Add(1)%256 == 0 { // otherwise they would fill the memory
			feeds.Range(func(f, _ any) bool {
				if f.(*sounds.StreamBuffer).Closed() {
					feeds.Delete(f)
				}
				return true
			})
		}
		return f, nil
	}})
	must(t, err)
	all := []*sounds.Sound{level(t, rate, 400, 0.2), level(t, rate, 4000, 0.1), stream}
	var shared [16]atomic.Pointer[mixer.Handle]
	var stop atomic.Bool
	var calls atomic.Int64
	source := &identities{t: t, m: m}
	call := func(caller int) func() {
		return func() {
			r := rand.New(rand.NewPCG(uint64(caller), 5))
			events := make([]mixer.Event, 64)
			var h mixer.Handle
			for ; !stop.Load(); runtime.Gosched() {
				calls.Add(1)
				if p := shared[r.IntN(len(shared))].Load(); p != nil {
					h = *p
				}
				at := m.Engine().At(pick(r, mixer.Now, m.Now()+r.Int64N(200)))
				target := pick(r, mixer.TargetVoice(h), mixer.TargetTag(mixer.Tag(1+caller)), mixer.TargetSound(all[r.IntN(2)]), mixer.TargetBus(buses[r.IntN(4)]))
				if h == (mixer.Handle{}) {
					target = mixer.TargetTag(1)
				}
				ms := time.Duration(r.IntN(5)) * time.Millisecond
				switch r.IntN(28) {
				case 0, 1, 2, 3, 4:
					o := mixer.Options{EngineOptions: mixer.EngineOptions{Tag: mixer.Tag(1 + caller)}, Bus: buses[r.IntN(4)], Loop: r.IntN(5) == 0, Priority: r.IntN(3), Emitter: &space.Emitter{}}
					if r.IntN(4) == 0 {
						o.Group = group
					}
					if r.IntN(3) == 0 {
						o.Sends = []mixer.Send{{To: "music"}} // refused for existing sends
					}
					if n, err := at.Play(all[r.IntN(3)], o); err == nil {
						shared[r.IntN(len(shared))].Store(&n)
					}
				case 5:
					h.Stop(0)
				case 6:
					h.Stop(ms)
				case 7:
					h.Pause()
				case 8, 9:
					h.Resume()
				case 10:
					h.SetGain(-3)
					h.SetPan(0.5)
				case 11:
					h.SetPitch(1)
					h.SetSpeed(1.1)
					h.SetLowPass(300)
					m.Engine().At(mixer.Now).SetHighPass(mixer.TargetTag(1), 40)
				case 12:
					h.SetPriority(2)
				case 13:
					h.SetLoop(2)
				case 14:
					h.Seek(ms)
				case 15:
					h.Fade(-20, ms)
				case 16:
					m.SetPositions([]mixer.Handle{h}, []space.Spot{{Position: space.Vector{r.Float64(), 1, 0}, Occlusion: float64(r.IntN(2)), Obstruction: float64(r.IntN(2))}})
				case 17:
					m.SetListener(space.Listener{Position: space.Vector{r.Float64()}, Doppler: 1})
				case 18:
					n := 0
					for v := range m.Voices() {
						v.Audibility()
						if n++; n == 5 {
							break
						}
					}
				case 19:
					if calls.Load()%64 == 0 { // each needs a goroutine
						h.Done()
					}
				case 20:
					h.State()
					h.Number()
					h.Position()
					h.Tag()
				case 21:
					m.Events(events[:r.IntN(64)])
				case 22:
					if !source.check() {
						return
					}
				case 23:
					at.Set(target, mixer.Change{Fields: mixer.FieldGain | mixer.FieldPan, Gain: -6}, ms)
				case 24:
					at.Set(mixer.TargetBus(buses[1+r.IntN(3)]), mixer.Change{Fields: mixer.FieldMute | mixer.FieldSolo, Mute: r.IntN(2) == 0, Solo: r.IntN(4) == 0}, ms)
				case 25:
					at.Stop(target, ms)
				case 26:
					if r.IntN(3) == 0 {
						at.Pause(target)
					} else {
						at.Resume(mixer.TargetAll())
						for _, b := range buses {
							at.Resume(mixer.TargetBus(b))
						}
					}
				case 27:
					if r.IntN(8) == 0 {
						m.StopAll(ms)
						at.Resize(voices + r.IntN(4))
					}
				}
			}
		}
	}
	callAll := func() (wait func()) {
		var callers sync.WaitGroup
		stop.Store(false)
		for caller := range 8 {
			callers.Go(call(caller))
		}
		return func() { stop.Store(true); callers.Wait() }
	}
	wait := callAll()
	for range 2 {
		var d interface {
			Start(device.Source) error
			Close() error
		} = &hurried{}
		if long {
			d = null.NewPaced(null.Config{Rate: rate, Block: 96})
		}
		must(t, d.Start(source))
		<-time.After(last / 2)
		must(t, d.Close())
		for blocks, before := source.blocks.Load(), calls.Load(); calls.Load() < before+5000 && !t.Failed(); runtime.Gosched() {
			if source.blocks.Load() != blocks {
				t.Fatal("a closed device renders")
			}
		}
	}
	wait()
	if t.Failed() {
		return
	}
	t.Logf("%d calls, %d blocks, %d streams opened", calls.Load(), source.blocks.Load(), opened.Load())
	block := make([]pcm.Frame, 96)
	// Pending commands are executed, and all voices are stopped: repeatedly, since the ring buffer may
	// have been full.
	for range 3 {
		m.StopAll(0)
		for range 40 {
			m.Render(block)
		}
	}
	if st := m.Stats(); st.Playing != 0 || st.Pending != 0 {
		t.Fatalf("in the end %+v", st)
	}
	for h := range m.Voices() {
		t.Errorf("voice %d lives, %v", h.Number(), h.State())
	}
	feedsAreClosed := func() {
		feeds.Range(func(f, _ any) bool {
			if !f.(*sounds.StreamBuffer).Closed() {
				t.Error("the feed of a stream is still open")
				return false
			}
			return true
		})
	}
	feedsAreClosed()
	// The initial capacity is available again, without a frame in between.
	for i := range commands {
		if _, err := m.Play(all[0], mixer.Options{}); err != nil {
			t.Fatalf("start %d of %d: %v", i+1, commands, err)
		}
	}
	if _, err := m.Play(all[0], mixer.Options{}); err != mixer.ErrBusy {
		t.Errorf("one more than fit: %v", err)
	}
	m.Render(block)
	wait = callAll()
	for before := calls.Load(); calls.Load() < before+5000 && !t.Failed(); runtime.Gosched() {
		if before+2500 < calls.Load() {
			m.Close()
		}
	}
	wait()
	m.Close() // with streams opened in the meantime
	feedsAreClosed()
}
