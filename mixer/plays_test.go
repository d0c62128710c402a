package mixer_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// TestPlays starts a voice every 86 ms of a day, a million in all, and ends them in every possible way; a
// twentieth of this unless VOICEPOOL_LONG is "day". The heap must stay within a megabyte, events must
// agree with the counters, and no voice must remain.
func TestPlays(t *testing.T) {
	const rate, commands = 1000, 512
	day, plays := int64(24*3600*rate), int64(1_000_000)
	switch {
	case long && !raceDetector:
	case !long && (!longtest.Enabled() || raceDetector):
		day, plays = day/200, plays/200
	default:
		day, plays = day/20, plays/20
	}
	m := newMixer(t, mixer.Config{
		Rate: rate, Voices: 10, MaxVoices: 16, Virtual: 6, Commands: commands,
		Buses: []mixer.BusConfig{{Name: "sfx", Voices: 7}, {Name: "shots", Parent: "sfx"}, {Name: "music", Duck: mixer.Duck{When: "sfx", By: 6, Release: time.Second}}},
	})
	defer m.Close()
	buses := []mixer.Bus{busOf(t, m, "master"), busOf(t, m, "sfx"), busOf(t, m, "shots"), busOf(t, m, "music")}
	groups := make([]*mixer.Group, 3)
	for i, o := range []mixer.GroupOptions{{}, {Voices: 2, Cooldown: 20 * time.Millisecond}, {Coalesce: 30 * time.Millisecond}} {
		var err error
		groups[i], err = m.NewGroup("group", o)
		must(t, err)
	}
	streamOf := func(data []pcm.Frame) *sounds.Sound {
		s, err := sounds.NewStream(sounds.Stream{Rate: rate, Frames: 900, Open: func(c sounds.PlayRange) (*sounds.StreamBuffer, error) {
			f := sounds.NewStreamBuffer(4096, c)
			f.Write(data)
			f.End()
			return f, nil
		}})
		must(t, err)
		return s
	}
	faulty := make([]pcm.Frame, 900)
	faulty[300][1] = float32(math.NaN())
	stream, broken := streamOf(make([]pcm.Frame, 900)), streamOf(faulty)
	sounds := []*sounds.Sound{level(t, rate, 30, 0.1), level(t, rate, 400, 0.2), level(t, rate, 2500, 0.05)}
	empty := level(t, rate, 0, 0)

	place := at(3, 0, 1)
	r := rand.New(rand.NewPCG(7, 8))
	block := make([]pcm.Frame, 4096)
	events := make([]mixer.Event, 4096)
	var seen [16]int64
	var asked, busy, last int64
	var least, most int64
	points := int64(0)
	var handles [16]mixer.Handle
	for now := int64(0); now < day; now = m.Now() {
		end := min(now+1+r.Int64N(int64(len(block))), day)
		for due := plays * end / day; asked < due; {
			o := mixer.Options{
				Bus: buses[r.IntN(4)], Group: groups[r.IntN(3)], EngineOptions: mixer.EngineOptions{Tag: mixer.Tag(1 + r.IntN(9)), Protect: r.IntN(50) == 0}, Gain: pcm.Decibels(-r.IntN(40)),
				Priority: r.IntN(3), Pitch: pcm.Semitones(r.IntN(25) - 12), FadeIn: time.Duration(r.IntN(9)) * time.Millisecond,
			}
			s := sounds[r.IntN(len(sounds))]
			switch r.IntN(60) {
			case 0:
				s = stream
			case 1:
				s = broken
			case 2:
				s = empty
			case 3, 4:
				o.Loop, o.For = true, time.Duration(1+r.IntN(5000))*time.Millisecond
			case 5:
				o.Emitter = place
			}
			then := now + r.Int64N(end-now)
			h, err := m.Engine().At(then).Play(s, o)
			if err == mixer.ErrBusy {
				busy++
				end = min(end, then+1) // and mix, to make room
				break
			}
			must(t, err)
			asked++
			handles[asked%16] = h
			switch r.IntN(12) {
			case 0:
				h.Stop(time.Duration(r.IntN(100)) * time.Millisecond)
			case 1:
				m.Engine().At(then+r.Int64N(900)).Stop(mixer.TargetTag(mixer.Tag(1+r.IntN(9))), 0)
			case 2:
				handles[r.IntN(16)].Fade(-30, time.Second)
			case 3:
				handles[r.IntN(16)].Seek(time.Duration(r.IntN(50)) * time.Millisecond)
			case 4:
				h.Pause()
				m.Engine().At(then + 500).Resume(mixer.TargetAll())
				m.Engine().At(then + 500).Resume(mixer.TargetVoice(h))
			case 5:
				m.Engine().At(then).Resize(6 + r.IntN(11))
			}
		}
		m.Render(block[:end-now])
		for _, e := range events[:m.Events(events)] {
			seen[e.Kind]++
			last = max(last, int64(e.Voice))
		}
		if m.Now() >= (points+1)*day/16 {
			points++
			if heap := used(); points == 1 {
				least, most = heap, heap
			} else {
				least, most = min(least, heap), max(most, heap)
			}
		}
	}
	for range 5 {
		m.StopAll(0)
		m.Render(block)
	}
	for _, e := range events[:m.Events(events)] {
		seen[e.Kind]++
		last = max(last, int64(e.Voice))
	}
	st := m.Stats()
	t.Logf("%d plays, heap %d to %d bytes at %d points, busy %d, %+v", asked, least, most, points, busy, st)
	if points < 15 || most-least > 1<<20 {
		t.Errorf("the heap is between %d and %d bytes, at %d points", least, most, points)
	}
	for name, c := range map[string][2]int64{
		"asked": {st.Asked, asked}, "started": {st.Started, seen[mixer.EventStarted]}, "rejected": {st.Rejected, seen[mixer.EventRejected]},
		"limited": {st.Limited, seen[mixer.EventLimited]}, "coalesced": {st.Coalesced, seen[mixer.EventCoalesced]}, "ended": {st.Ended, seen[mixer.EventEnded]},
		"stopped": {st.Stopped, seen[mixer.EventStopped]}, "stolen": {st.Stolen, seen[mixer.EventStolen]}, "missed": {st.Missed, seen[mixer.EventMissed]},
		"the sum of what was asked":   {st.Asked, st.Started + st.Rejected + st.Limited + st.Coalesced},
		"the sum of what was started": {st.Started, st.Ended + st.Stopped + st.Stolen},
		"playing":                     {st.Playing, 0}, "virtual": {st.Virtual, 0}, "pending": {st.Pending, 0}, "lost events": {st.EventsLost, 0}, "the last voice": {last, st.Started},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: %d, want %d", name, c[0], c[1])
		}
	}
	for kind := mixer.EventStarted; kind <= mixer.EventFault; kind++ { // the others belong to streams and devices
		if seen[kind] == 0 && kind != mixer.EventUnderrun {
			t.Errorf("nothing %v: it proves too little", kind)
		}
	}
	for i := range commands {
		if _, err := m.Play(sounds[0], mixer.Options{}); err != nil {
			t.Fatalf("start %d of %d: %v", i+1, commands, err)
		}
	}
}
