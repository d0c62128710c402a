package mixer_test

import (
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
)

// TestCallsDoNotAllocate checks each call of the control side. The exceptions are New, NewGroup,
// NewTable, Handle.Done and calls that open or seek a stream. They document that they allocate, or are
// not called during a game.
func TestCallsDoNotAllocate(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 8000, Voices: 16, MaxVoices: 32, Buses: []mixer.BusConfig{{Name: "sfx"}, {Name: "below", Parent: "sfx"}}})
	led := newMixer(t, mixer.Config{Rate: 8000, Lead: 20 * time.Millisecond})
	s := level(t, 8000, 4000, 0.1)
	g, _ := m.NewGroup("g", mixer.GroupOptions{Voices: 8, Cooldown: 1, Coalesce: time.Millisecond})
	bus := busOf(t, m, "sfx")
	e := at(1, 2, 3)
	h := play(t, m.Engine().At(mixer.Now), s, mixer.Options{Loop: true, EngineOptions: mixer.EngineOptions{Protect: true, Tag: 1}, Emitter: e})
	l := play(t, led.Engine().At(mixer.Now), s, mixer.Options{Loop: true})
	block := make([]pcm.Frame, 200)
	events := make([]mixer.Event, 64)
	handles, spots := []mixer.Handle{h}, []space.Spot{{Position: space.Vector{1, 0, 0}}}
	n := 0
	voiceTarget, busTarget := mixer.TargetVoice(h), mixer.TargetBus(bus)
	for name, call := range map[string]func(){
		"Play": func() {
			m.Play(s, mixer.Options{Group: g, Bus: bus, Emitter: e, Loop: true, EngineOptions: mixer.EngineOptions{Rounds: 3}})
		},
		"At.Play": func() {
			m.Engine().At(m.Now()+50).WithRef(4).Play(s, mixer.Options{For: time.Millisecond, FadeIn: 1, From: 9})
		},
		"Stop":       func() { h, _ := m.Play(s, mixer.Options{}); h.Stop(0); h.Stop(time.Millisecond) },
		"Then":       func() { h, _ := m.Play(s, mixer.Options{For: 1}); h.Then(s, mixer.Options{For: 1}, mixer.AtLoopEnd) },
		"Pause":      func() { h.Pause(); h.Resume() },
		"SetGain":    func() { h.SetGain(pcm.Decibels(-n % 9)) },
		"SetPan":     func() { h.SetPan(float64(n%3) - 1) },
		"SetPitch":   func() { h.SetPitch(pcm.Semitones(n % 7)) },
		"SetSpeed":   func() { h.SetSpeed(1 + float64(n%5)/9) },
		"SetLowPass": func() { h.SetLowPass(float64(n%2) * 500); h.SetHighPass(float64(20 + n%50)) },
		"filters": func() {
			m.Play(s, mixer.Options{Filters: mixer.Filters{LowPass: 300, HighPass: 30}})
			m.Engine().At(mixer.Now).SetLowPass(mixer.TargetTag(1), float64(300+n%99))
			m.Engine().At(m.Now()+9).SetHighPass(mixer.TargetSound(s), 0)
		},
		"SetPriority": func() { h.SetPriority(n) },
		"Protect":     func() { h.Protect(n%2 == 0) },
		"SetLoop":     func() { h.SetLoop(mixer.Forever) },
		"Seek":        func() { h.Seek(time.Duration(n%400) * time.Millisecond) },
		"Fade":        func() { h.Fade(pcm.Decibels(-n%9), time.Millisecond) },
		"State": func() {
			h.State()
			h.Number()
			h.Position()
			h.Sound()
			h.Tag()
			h.Audibility()
		},
		"At.Stop": func() {
			m.Engine().At(m.Now()+9).Stop(mixer.TargetTag(8), 0)
			m.Engine().At(mixer.Now).Stop(mixer.TargetSound(s), time.Millisecond)
		},
		"At.Pause": func() { m.Engine().At(mixer.Now).Pause(busTarget); m.Engine().At(mixer.Now).Resume(busTarget) },
		"At.Set": func() {
			m.Engine().At(mixer.Now).Set(voiceTarget, mixer.Change{Fields: mixer.FieldGain | mixer.FieldPriority | mixer.FieldProtect | mixer.FieldRounds, Shape: sounds.RaisedCosine, Rounds: 2}, time.Second)
			m.Engine().At(mixer.Now).Set(busTarget, mixer.Change{Fields: mixer.FieldGain | mixer.FieldPan | mixer.FieldPitch | mixer.FieldMute | mixer.FieldSolo | mixer.FieldVolume, Volume: pcm.Decibels(-n % 30), Solo: n%2 == 0}, time.Second)
		},
		"Bus": func() {
			bus.SetGain(pcm.Decibels(-n % 9))
			bus.Pause()
			bus.Resume()
			bus.Fade(-3, time.Millisecond)
			bus.Levels()
			h.Slot()
			h.Pan()
			h.Gain()
			h.Looping()
		},
		"At.Seek": func() {
			m.Engine().At(mixer.Now).Seek(voiceTarget, 0)
			m.Engine().At(mixer.Now).Seek(busTarget, time.Millisecond)
		},
		"Resize":       func() { m.Engine().At(mixer.Now).Resize(8 + n%20) },
		"StopAll":      func() { m.StopAll(time.Millisecond) },
		"SetPositions": func() { m.SetPositions(handles, spots) },
		"SetListener":  func() { m.SetListener(space.Listener{Position: space.Vector{float64(n), 0, 0}, Doppler: 1}) },
		"Stats":        func() { m.Stats(); m.Now(); m.LatencyFrames(); m.Rate(); m.Bus("below") },
		"Events":       func() { m.Events(events) },
		"Voices": func() {
			for h := range m.Voices() {
				h.SetGain(-3)
			}
		},
		"with a lead": func() {
			l.SetGain(-3)
			l.Pause()
			l.Resume()
			l.Seek(0)
			l.SetLoop(4)
			l.SetLoop(-1)
			led.Play(s, mixer.Options{})
		},
		"late errors": func() { mixer.Handle{}.SetGain(0); mixer.Handle{}.Stop(0) },
	} {
		if got := testing.AllocsPerRun(50, func() {
			n++
			call()
			m.Render(block)
			led.Render(block)
			m.Events(events)
			led.Events(events)
		}); got != 0 {
			t.Errorf("%s, and Render with it: %v allocations", name, got)
		}
	}
}

// TestRenderDoesNotAllocate renders with all features at once: a tree of buses with a solo, a duck and an
// insert, shapes, seeks, rounds, places, coalesced starts, steals and a lead.
func TestRenderDoesNotAllocate(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 8000, Voices: 12, Buses: []mixer.BusConfig{
		{Name: "sfx", Voices: 9}, {Name: "shots", Parent: "sfx", Voices: 7, Pitch: 1},
		{Name: "music", Duck: mixer.Duck{When: "sfx", By: 9, Hold: 5 * time.Millisecond}},
		{Name: "echo", Insert: written(func(block []pcm.Frame) {
			for i := range block {
				block[i][0] *= 0.5
			}
		})},
	}})
	s := level(t, 8000, 700, 0.1)
	short := sound(t, sounds.Samples{Rate: 8000, Channels: 2, Data: make([]float32, 600), Loop: [2]int64{20, 31}})
	g, _ := m.NewGroup("g", mixer.GroupOptions{Coalesce: 3 * time.Millisecond})
	var buses []mixer.Bus
	for _, name := range []string{"sfx", "shots", "music", "echo", "master"} {
		buses = append(buses, busOf(t, m, name))
	}
	e := at(1, 2, 3)
	e.Air, e.Cone.LowPass = 9, 500
	handles, spots := make([]mixer.Handle, 5), make([]space.Spot, 5)
	block := make([]pcm.Frame, 160)
	events := make([]mixer.Event, 256)
	n := 0
	ask := func() {
		n++
		for i := range handles {
			o := mixer.Options{Bus: buses[(n+i)%5], Pitch: pcm.Semitones(n % 5), Emitter: e, EngineOptions: mixer.EngineOptions{Tag: mixer.Tag(1 + n%3)}}
			if i == 2 {
				o.Loop, o.Rounds = true, 3
			}
			if i < 2 { // 17 frames apart
				o.Group = g
			}
			all := [2]*sounds.Sound{s, short}
			handles[i], _ = m.Engine().At(m.Now()+int64(17*i)).Play(all[i%2], o)
			spots[i].Position[0] = float64((n*7 + i) % 40)
			spots[i].Occlusion, spots[i].Obstruction = float64((n+i)%3)/2, float64((n+i)%2)
		}
		m.SetPositions(handles, spots)
		m.SetListener(space.Listener{Position: space.Vector{float64(n % 9), 0, 0}, Doppler: 1})
		m.Engine().At(m.Now()+30).Set(mixer.TargetTag(2), mixer.Change{Fields: mixer.FieldGain | mixer.FieldRounds, Gain: pcm.Decibels(-n % 20), Shape: sounds.Shape(n % 4), Rounds: 1 + n%3}, 9*time.Millisecond)
		m.Engine().At(m.Now()+41).Seek(mixer.TargetTag(1), time.Duration(n%60)*time.Millisecond)
		m.Engine().At(m.Now()+55).Set(mixer.TargetBus(buses[n%4]), mixer.Change{Fields: mixer.FieldSolo | mixer.FieldGain, Solo: n%3 == 0, Gain: pcm.Decibels(-n % 6)}, 0)
		handles[0].SetPriority(n % 3)
		handles[1].Protect(n%5 == 0)
		m.Events(events)
	}
	for range 30 {
		ask()
		m.Render(block)
	}
	if got := testing.AllocsPerRun(200, func() {
		ask()
		m.Render(block)
	}); got != 0 {
		t.Errorf("%v allocations", got)
	}
	if st := m.Stats(); st.Stolen == 0 || st.Coalesced == 0 || st.Limited+st.Stolen < 50 || st.EventsLost != 0 {
		t.Errorf("the scene does not do what it is for: %+v", st)
	}
}
