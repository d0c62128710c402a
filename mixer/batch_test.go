package mixer_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// follower is a start at a delay after all earlier starts are over.
type follower struct {
	sound  *sounds.Sound
	o      mixer.Options
	after  int64
	starts int
}

// steps returns a random chain of starts.
func steps(draw *rand.Rand, sounds []*sounds.Sound) (chain []follower) {
	for range 1 + draw.IntN(8) {
		f := follower{sound: sounds[draw.IntN(len(sounds))], after: int64(draw.IntN(3) * draw.IntN(90)), starts: draw.IntN(3)}
		f.o = mixer.Options{Speed: 0.5 + draw.Float64(), Gain: pcm.Decibels(-draw.IntN(30)), Priority: draw.IntN(3)}
		if draw.IntN(3) == 0 {
			f.o.For = time.Duration(1+draw.IntN(60)) * time.Millisecond
		}
		chain = append(chain, f)
	}
	return chain
}

// TestBatchFollows compares a chain of batches that is sent at once with starts that are requested when
// the previous ones are over. Frames and events must be equal in blocks of any length.
func TestBatchFollows(t *testing.T) {
	var all []*sounds.Sound
	for _, frames := range []int{900, 133, 1} {
		s, err := sounds.NewSound(sounds.Samples{Name: "s", Rate: 8000, Channels: 1, Data: slices.Repeat([]float32{0.5}, frames)})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	steals := 0
	for seed := range uint64(longtest.Amount(30, 60)) {
		draw := rand.New(rand.NewPCG(seed, 9))
		chain, others := steps(draw, all), steps(draw, all)
		first := int64(draw.IntN(700))
		begin := func() *mixer.Mixer {
			m, err := mixer.New(mixer.Config{Voices: 2, Rate: 8000})
			if err != nil {
				t.Fatal(err)
			}
			for i, f := range others { // starts that steal their voices
				if _, err := m.Engine().At(int64(i)*211).Play(f.sound, f.o); err != nil {
					t.Fatal(err)
				}
			}
			return m
		}
		const length = 20000
		slow := begin()
		want, events := make([]pcm.Frame, length), make([]mixer.Event, 256)
		var told []modelEvent
		next, at, left := 0, first, 0
		for now := int64(0); now < length; {
			for again := true; again; {
				again = false
				slow.Render(nil)
				n := slow.Events(events)
				for _, e := range events[:n] {
					told = append(told, flatEvent(e))
					switch {
					case e.Ref == 0:
					case e.Kind == mixer.EventStolen, e.Kind == mixer.EventRejected:
						steals++
						left--
					case over(e.Kind):
						left--
					}
				}
				if next > 0 && left == 0 && at < 0 && next < len(chain) {
					at = now + chain[next].after
				}
				if next < len(chain) && at == now {
					for range chain[next].starts {
						o := chain[next].o
						o.Ref = mixer.Ref(next + 1)
						if _, err := slow.Engine().At(now).Play(chain[next].sound, o); err != nil {
							t.Fatal(err)
						}
						left++
					}
					next, at, again = next+1, -1, true
				}
			}
			n := min(slow.Engine().UntilEnd(160-int(now%160)), length-int(now))
			for i := range others {
				if f := int64(i) * 211; f > now {
					n = min(n, int(f-now))
				}
			}
			if at > now {
				n = min(n, int(at-now))
			}
			slow.Render(want[now : now+int64(n)])
			now += int64(n)
		}
		told = append(told, flatEvents(events[:slow.Events(events)])...)

		for _, block := range []int{1, 37, 160, 1000} {
			m := begin()
			moment, offset := m.Engine().At(first), int64(0)
			for i, f := range chain {
				s, c := m.Engine().NewBatch(), m.Engine().NewCountdown()
				errs := []error{moment.Add(c, f.starts)}
				for range f.starts {
					o := f.o
					o.Ref, o.Countdowns[i%2] = mixer.Ref(i+1), c
					_, err := moment.Play(f.sound, o)
					errs = append(errs, err)
				}
				if errs = append(errs, moment.FireAt(s, c)); errors.Join(errs...) != nil {
					t.Fatal(errs)
				}
				if i+1 < len(chain) {
					offset = chain[i+1].after
				}
				moment = s.At(offset)
			}
			got := make([]pcm.Frame, length)
			var heard []modelEvent
			for at := 0; at < length; at += block {
				m.Render(got[at:min(at+block, length)])
				heard = append(heard, flatEvents(events[:m.Events(events)])...)
			}
			if !slices.Equal(heard, told) {
				t.Fatalf("seed %d, blocks of %d:\ngot  %v\nwant %v", seed, block, heard, told)
			}
			if !slices.Equal(got, want) {
				t.Errorf("seed %d, blocks of %d: other frames", seed, block)
			}
			if st := m.Stats(); st.Pending != 0 || st.Late != 0 {
				t.Errorf("seed %d: %+v", seed, st)
			}
		}
	}
	if steals == 0 {
		t.Error("nothing of the chains was stolen")
	}
}

// TestBatch checks that fired commands are executed at one frame, and dropped commands never.
func TestBatch(t *testing.T) {
	m, err := mixer.New(mixer.Config{Voices: 8, Rate: 1000, Commands: 32})
	if err != nil {
		t.Fatal(err)
	}
	s, err := sounds.NewSound(sounds.Samples{Name: "s", Rate: 1000, Channels: 1, Data: slices.Repeat([]float32{0.5}, 50)})
	if err != nil {
		t.Fatal(err)
	}
	fired, dropped, other := m.Engine().NewBatch(), m.Engine().NewBatch(), m.Engine().NewBatch()
	c := m.Engine().NewCountdown()
	var handles []mixer.Handle
	play := func(at mixer.Moment) {
		t.Helper()
		h, err := at.Play(s, mixer.Options{EngineOptions: mixer.EngineOptions{Countdowns: [2]*mixer.Countdown{c, nil}}})
		if err != nil {
			t.Fatal(err)
		}
		handles = append(handles, h)
	}
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(m.Engine().At(0).Add(c, 4))
	play(fired.At(0))
	play(dropped.At(0))
	play(fired.At(30))
	block := make([]pcm.Frame, 10)
	m.Render(block)
	if _, is := fired.Base(); is || m.Stats().Asked != 0 || m.Stats().Pending != 3 {
		t.Fatalf("what is armed has acted: %+v", m.Stats())
	}
	do(m.Engine().At(13).Fire(fired))
	do(m.Engine().At(15).FireAt(dropped, c))
	do(m.Engine().At(15).FireAt(other, c))
	do(m.Engine().At(15).Fire(fired)) // has no effect
	m.Render(block)
	play(fired.At(1)) // late
	do(m.Engine().At(40).Drop(dropped))
	for range 10 {
		m.Render(block)
	}
	if base, is := fired.Base(); base != 13 || !is {
		t.Errorf("fired at %d, %v", base, is)
	}
	if _, is := dropped.Base(); is {
		t.Error("what was dropped is fired")
	}
	if base, is := other.Base(); base != 93 || !is { // 13 + 30 + 50
		t.Errorf("what waited for the count is fired at %d, %v", base, is)
	}
	var told []string
	events := make([]mixer.Event, 64)
	for _, e := range events[:m.Events(events)] {
		if e.Kind == mixer.EventStarted || e.Kind == mixer.EventStopped {
			told = append(told, e.Kind.String()+time.Duration(e.Frame).String())
		}
	}
	if want := []string{"started13ns", "started20ns", "started40ns", "stopped40ns", "started43ns"}; !slices.Equal(told, want) {
		t.Errorf("got %v, want %v", told, want)
	}
	if handles[1].State() != mixer.StateStopped || m.Stats().Pending != 0 || m.Stats().Late != 1 {
		t.Errorf("%v, %+v", handles[1].State(), m.Stats())
	}
	// It cannot be fired again, and starts added to it are stopped.
	do(m.Engine().At(mixer.Now).Fire(dropped))
	play(dropped.At(5))
	m.Render(block)
	if st := m.Stats(); st.Playing != 0 || st.Stopped != 2 || st.Pending != 0 {
		t.Errorf("%+v", st)
	}
	// Waiting commands count as under way, so their number is limited. A stop by a handle reaches them.
	waits := m.Engine().NewBatch()
	for err = nil; err == nil; {
		var h mixer.Handle
		if h, err = waits.At(0).Play(s, mixer.Options{}); err == nil {
			do(h.Stop(0))
		}
		m.Render(nil)
	}
	if !errors.Is(err, mixer.ErrBusy) {
		t.Error(err)
	}
	do(m.Engine().At(mixer.Now).Fire(waits))
	m.Render(block)
	if st := m.Stats(); st.Playing != 0 || st.Pending != 0 {
		t.Errorf("%+v", st)
	}
	elsewhere, err := mixer.New(mixer.Config{Voices: 1, Rate: 1000})
	if err != nil {
		t.Fatal(err)
	}
	_, played := elsewhere.Play(s, mixer.Options{EngineOptions: mixer.EngineOptions{Countdowns: [2]*mixer.Countdown{c}}})
	for _, err := range []error{
		m.Engine().At(0).Fire(nil), m.Engine().At(0).FireAt(other, nil), m.Engine().At(0).Drop(nil), m.Engine().At(0).Add(nil, 1),
		other.At(0).Fire(other), elsewhere.Engine().At(0).Fire(other), elsewhere.Engine().At(0).Add(c, 1), played,
	} {
		if !errors.Is(err, mixer.ErrOption) {
			t.Errorf("%v is no error of an option", err)
		}
	}
}
