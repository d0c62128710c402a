package mixer_test

import (
	"fmt"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
)

// tone returns a sound of the given length; package library loads real ones.
func tone(milliseconds int) *sounds.Sound {
	data := make([]float32, milliseconds)
	for i := range data {
		data[i] = 0.5
	}
	s, _ := sounds.NewSound(sounds.Samples{Name: "tone", Rate: 1000, Channels: 1, Data: data})
	return s
}

// render simulates a device, which calls Render by itself.
func render(m *mixer.Mixer, milliseconds int) []pcm.Frame {
	block := make([]pcm.Frame, milliseconds)
	m.Render(block)
	return block
}

func ExampleMixer_Play() {
	m, _ := mixer.New(mixer.Config{Rate: 1000, Voices: 1})
	h, err := m.Play(tone(300), mixer.Options{Gain: -6, Pan: -0.5})
	fmt.Println(err, h.State())
	render(m, 100)
	fmt.Println(h.State(), h.Position())
	render(m, 200)
	fmt.Println(h.State())
	// Output:
	// <nil> pending
	// playing 100ms
	// ended
}

func ExampleEngine_At() {
	m, _ := mixer.New(mixer.Config{Rate: 1000})
	h, _ := m.Engine().At(250).Play(tone(500), mixer.Options{})
	m.Engine().At(400).Stop(mixer.TargetVoice(h), 0)
	render(m, 1000)
	events := make([]mixer.Event, 8)
	for _, e := range events[:m.Events(events)] {
		fmt.Println(e.Frame, e.Kind)
	}
	// Output:
	// 250 started
	// 400 stopped
}

func ExampleMixer_StopAll() {
	m, _ := mixer.New(mixer.Config{Rate: 1000})
	m.Play(tone(500), mixer.Options{Loop: true})
	m.Play(tone(500), mixer.Options{})
	render(m, 10)
	m.StopAll(100 * time.Millisecond)
	render(m, 100)
	fmt.Println(m.Stats().Playing, "play,", m.Stats().Stopped, "were stopped")
	// Output: 0 play, 2 were stopped
}

func ExampleMixer_Render() {
	m, _ := mixer.New(mixer.Config{Rate: 1000, NoLimiter: true})
	m.Play(tone(2), mixer.Options{Pan: -1})
	block := make([]pcm.Frame, 3)
	m.Render(block)
	fmt.Println(block, m.Now())
	// Output: [[0.5 0] [0.5 0] [0 0]] 3
}

func ExampleMixer_Events() {
	m, _ := mixer.New(mixer.Config{Rate: 1000, Voices: 1})
	m.Play(tone(500), mixer.Options{Gain: -30, EngineOptions: mixer.EngineOptions{Ref: 1}})
	m.Engine().At(100).Play(tone(500), mixer.Options{EngineOptions: mixer.EngineOptions{Ref: 2}})
	render(m, 200)
	events := make([]mixer.Event, 8)
	for _, e := range events[:m.Events(events)] {
		switch e.Kind {
		case mixer.EventStolen:
			fmt.Println(e.Frame, e.Kind, e.Ref, "by", e.Steal.ByRef, "since", e.Reason)
		default:
			fmt.Println(e.Frame, e.Kind, e.Ref)
		}
	}
	// Output:
	// 0 started 1
	// 100 stolen 1 by 2 since pool
	// 100 started 2
}

func ExampleMixer_Stats() {
	m, _ := mixer.New(mixer.Config{Rate: 1000, Voices: 2})
	for range 5 {
		m.Play(tone(500), mixer.Options{})
	}
	render(m, 10)
	st := m.Stats()
	fmt.Println(st.Asked == st.Started+st.Rejected+st.Limited+st.Coalesced, st.Asked)
	fmt.Println(st.Started == st.Ended+st.Stopped+st.Stolen+st.Playing, st.Stolen, st.Playing)
	// Output:
	// true 5
	// true 3 2
}

func ExampleMixer_Voices() {
	m, _ := mixer.New(mixer.Config{Rate: 1000})
	m.Play(tone(500), mixer.Options{EngineOptions: mixer.EngineOptions{Tag: 1}})
	m.Play(tone(500), mixer.Options{EngineOptions: mixer.EngineOptions{Tag: 2}})
	m.Play(tone(500), mixer.Options{EngineOptions: mixer.EngineOptions{Tag: 1}})
	render(m, 10)
	n := 0
	for h := range m.Voices() {
		if h.Tag() == 1 {
			h.SetGain(-6)
			n++
		}
	}
	fmt.Println(n)
	// Output: 2
}

func ExampleMixer_SetPositions() {
	m, _ := mixer.New(mixer.Config{Rate: 1000, NoLimiter: true})
	h, _ := m.Play(tone(500), mixer.Options{Emitter: &space.Emitter{}})
	render(m, 10)
	// Once per frame of the game, for all objects that have moved.
	m.SetPositions([]mixer.Handle{h}, []space.Spot{{Position: space.Vector{4, 0, 0}}})
	heard := render(m, 50)[49]
	fmt.Printf("left %.3f, right %.3f\n", heard[0], heard[1])
	// Output: left 0.048, right 0.115
}

func ExampleMixer_SetListener() {
	m, _ := mixer.New(mixer.Config{Rate: 1000, NoLimiter: true})
	right := space.Spot{Position: space.Vector{4, 0, 0}}
	m.Play(tone(500), mixer.Options{Emitter: &space.Emitter{Spot: right}})
	m.SetListener(space.Listener{Forward: space.Vector{0, 0, 1}}) // it looks back
	heard := render(m, 50)[49]
	fmt.Printf("left %.3f, right %.3f\n", heard[0], heard[1])
	// Output: left 0.115, right 0.048
}

func ExampleMixer_NewGroup() {
	m, _ := mixer.New(mixer.Config{Rate: 1000})
	steps, _ := m.NewGroup("steps", mixer.GroupOptions{Voices: 2, Cooldown: 50 * time.Millisecond})
	for _, frame := range []int64{0, 20, 100, 200} {
		m.Engine().At(frame).Play(tone(500), mixer.Options{Group: steps})
	}
	render(m, 300)
	st := m.Stats()
	fmt.Println(st.Limited, "came too soon,", st.Stolen, "gave way,", st.Playing, "play")
	// Output: 1 came too soon, 1 gave way, 2 play
}

// Forty shots within 30 ms become one voice, as loud as four.
func ExampleGroupOptions_coalesce() {
	m, _ := mixer.New(mixer.Config{Rate: 1000, NoLimiter: true})
	shots, _ := m.NewGroup("shots", mixer.GroupOptions{Coalesce: 30 * time.Millisecond, Most: 6})
	for i := range int64(40) {
		m.Engine().At(i/2).Play(tone(500), mixer.Options{Pan: -1, Group: shots})
	}
	heard := render(m, 100)[99]
	fmt.Printf("%d voice, %d joined it, %.2f times as loud\n", m.Stats().Playing, m.Stats().Coalesced, heard[0]/0.5)
	// Output: 1 voice, 39 joined it, 2.00 times as loud
}

func ExampleMixer_Bus() {
	m, _ := mixer.New(mixer.Config{Rate: 1000, NoLimiter: true, Buses: []mixer.BusConfig{
		{Name: "sfx", Gain: -20},
		{Name: "steps", Parent: "sfx", Gain: -20},
	}})
	steps, _ := m.Bus("steps")
	m.Play(tone(500), mixer.Options{Pan: -1, Bus: steps})
	fmt.Printf("%.3f\n", render(m, 10)[9][0])
	m.Engine().At(mixer.Now).Set(mixer.TargetBus(steps), mixer.Change{Fields: mixer.FieldGain}, 0)
	fmt.Printf("%.3f\n", render(m, 10)[9][0])
	// Output:
	// 0.005
	// 0.050
}

func ExampleBus_solo() {
	m, _ := mixer.New(mixer.Config{Rate: 1000, NoLimiter: true, Buses: []mixer.BusConfig{{Name: "sfx"}, {Name: "music"}}})
	music, _ := m.Bus("music")
	m.Play(tone(500), mixer.Options{Pan: -1})
	m.Play(tone(500), mixer.Options{Pan: 1, Bus: music})
	fmt.Println(render(m, 10)[9])
	m.Engine().At(mixer.Now).Set(mixer.TargetBus(music), mixer.Change{Fields: mixer.FieldSolo, Solo: true}, 0)
	fmt.Println(render(m, 10)[9])
	// Output:
	// [0.5 0.5]
	// [0 0.5]
}

func ExampleDuck() {
	m, _ := mixer.New(mixer.Config{Rate: 1000, NoLimiter: true, Buses: []mixer.BusConfig{
		{Name: "speech"},
		{Name: "music", Duck: mixer.Duck{When: "speech", By: 20, Attack: 20 * time.Millisecond, Hold: 100 * time.Millisecond, Release: 200 * time.Millisecond}},
	}})
	music, _ := m.Bus("music")
	speech, _ := m.Bus("speech")
	m.Play(tone(900), mixer.Options{Pan: -1, Bus: music})
	m.Engine().At(100).Play(tone(200), mixer.Options{Pan: 1, Bus: speech})
	block := render(m, 700)
	for _, frame := range []int{99, 120, 400, 600} {
		fmt.Printf("%d: %.2f\n", frame, block[frame][0])
	}
	// Output:
	// 99: 0.50
	// 120: 0.05
	// 400: 0.05
	// 600: 0.50
}

// half is an effect, used as the insert of a bus.
type half struct{}

func (half) Process(block []pcm.Frame) {
	for i := range block {
		block[i][0] /= 2
		block[i][1] /= 2
	}
}

func ExampleInsert() {
	m, _ := mixer.New(mixer.Config{Rate: 1000, NoLimiter: true, Buses: []mixer.BusConfig{{Name: "sfx", Insert: half{}}}})
	sfx, _ := m.Bus("sfx")
	m.Play(tone(500), mixer.Options{Pan: -1, Bus: sfx})
	fmt.Println(render(m, 10)[9])
	// Output: [0.25 0]
}

func ExampleNewPointTable() {
	table, err := space.NewPointTable(space.Point{Distance: 1}, space.Point{Distance: 10, Gain: -20}, space.Point{Distance: 50, Gain: -80})
	fmt.Println(err)
	m, _ := mixer.New(mixer.Config{Rate: 1000, NoLimiter: true})
	m.Play(tone(500), mixer.Options{Emitter: &space.Emitter{
		Spot:        space.Spot{Position: space.Vector{50, 0, 0}},
		Attenuation: space.Attenuation{Table: table},
	}})
	fmt.Println(render(m, 10)[9])
	// Output:
	// <nil>
	// [0 0]
}

// Calls between two blocks keep their distances in time.
func ExampleConfig_lead() {
	now := time.Duration(0) // a test clock; the default is the system clock
	m, _ := mixer.New(mixer.Config{Rate: 1000, Lead: 20 * time.Millisecond, Clock: func() time.Duration { return now }})
	m.Play(tone(5), mixer.Options{})
	now += 7 * time.Millisecond
	m.Play(tone(5), mixer.Options{})
	render(m, 50)
	events := make([]mixer.Event, 8)
	for _, e := range events[:m.Events(events)] {
		fmt.Println(e.Frame, e.Kind)
	}
	// Output:
	// 20 started
	// 25 ended
	// 27 started
	// 32 ended
}

func ExampleParseOverflow() {
	policy, err := mixer.ParseOverflow("oldest")
	fmt.Println(policy, err)
	_, err = mixer.ParseOverflow("oldst")
	fmt.Println(err)
	// Output:
	// oldest <nil>
	// mixer: bad argument: unknown policy "oldst"; the nearest is "oldest"
}

func ExampleEngine_Stems() {
	m, _ := mixer.New(mixer.Config{Rate: 8, NoLimiter: true, Stems: true})
	for name, x := range map[string]float32{"bell": 0.5, "coin": 0.25} {
		s, _ := sounds.NewSound(sounds.Samples{Name: name, Rate: 8, Channels: 1, Data: []float32{x}})
		m.Play(s, mixer.Options{Pan: -1})
	}
	mix := make([]pcm.Frame, 1)
	m.Render(mix)
	for of, part := range m.Engine().Stems(1) {
		fmt.Println(of.Sound, part)
	}
	fmt.Println("mix", mix)
	// Unordered output:
	// bell [[0.5 0]]
	// coin [[0.25 0]]
	// mix [[0.75 0]]
}
