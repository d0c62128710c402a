package mixer_test

import (
	"fmt"
	"time"

	"voicepool/mixer"
	"voicepool/sounds"
)

func ExampleHandle_Stop() {
	m, _ := mixer.New(mixer.Config{Rate: 1000, NoLimiter: true})
	h, _ := m.Play(tone(500), mixer.Options{Pan: -1})
	render(m, 100)
	h.Stop(0) // its slot is free at once, with a tail of 10 ms
	block := render(m, 20)
	fmt.Println(h.State(), block[5][0] > 0, block[10][0])
	fmt.Println(h.Stop(0))
	// Output:
	// stopped true 0
	// mixer: the voice is gone
}

func ExampleHandle_Stop_fade() {
	m, _ := mixer.New(mixer.Config{Rate: 1000})
	h, _ := m.Play(tone(500), mixer.Options{})
	render(m, 100)
	h.Stop(200 * time.Millisecond)
	render(m, 199)
	fmt.Println(h.State())
	render(m, 1)
	fmt.Println(h.State())
	// Output:
	// playing
	// stopped
}

func ExampleHandle_Pause() {
	m, _ := mixer.New(mixer.Config{Rate: 1000})
	h, _ := m.Play(tone(500), mixer.Options{})
	render(m, 100)
	h.Pause()
	render(m, 100)
	fmt.Println(h.State(), h.Position())
	h.Resume()
	render(m, 100)
	fmt.Println(h.State(), h.Position())
	// Output:
	// paused 100ms
	// playing 200ms
}

func ExampleHandle_Fade() {
	m, _ := mixer.New(mixer.Config{Rate: 1000, NoLimiter: true})
	h, _ := m.Play(tone(500), mixer.Options{Pan: -1})
	h.Fade(-20, 100*time.Millisecond)
	block := render(m, 200)
	fmt.Printf("%.3f, half way %.3f, then %.3f\n", block[0][0], block[50][0], block[100][0])
	// Output: 0.500, half way 0.158, then 0.050
}

func ExampleHandle_Seek() {
	m, _ := mixer.New(mixer.Config{Rate: 1000})
	h, _ := m.Play(tone(500), mixer.Options{})
	render(m, 100)
	h.Seek(400 * time.Millisecond)
	render(m, 50)
	fmt.Println(h.Position())
	h.Seek(time.Hour) // beyond the end
	render(m, 1)
	fmt.Println(h.State())
	// Output:
	// 450ms
	// ended
}

func ExampleHandle_SetLoop() {
	m, _ := mixer.New(mixer.Config{Rate: 1000})
	h, _ := m.Play(tone(100), mixer.Options{Loop: true})
	render(m, 1050)
	h.SetLoop(1) // the engine stops: the present round plays to its end
	render(m, 49)
	fmt.Println(h.State())
	render(m, 1)
	fmt.Println(h.State())
	// Output:
	// playing
	// ended
}

func ExampleHandle_SetPriority() {
	m, _ := mixer.New(mixer.Config{Rate: 1000, Voices: 1})
	h, _ := m.Play(tone(500), mixer.Options{Priority: 5})
	render(m, 10)
	h.SetPriority(-1)
	m.Play(tone(500), mixer.Options{})
	render(m, 10)
	fmt.Println(h.State())
	// Output: stolen
}

func ExampleHandle_Protect() {
	m, _ := mixer.New(mixer.Config{Rate: 1000, Voices: 1})
	h, _ := m.Play(tone(500), mixer.Options{})
	h.Protect(true)
	other, _ := m.Play(tone(500), mixer.Options{})
	render(m, 10)
	fmt.Println(h.State(), other.State())
	// Output: playing rejected
}

func ExampleHandle_SetGain() {
	m, _ := mixer.New(mixer.Config{Rate: 1000, NoLimiter: true})
	h, _ := m.Play(tone(500), mixer.Options{Pan: -1})
	render(m, 100)
	fmt.Println(h.SetGain(-20), h.SetPan(-1), h.SetPitch(12), h.SetSpeed(1))
	fmt.Printf("%.3f\n", render(m, 10)[9][0])
	fmt.Println(h.SetGain(30))
	// Output:
	// <nil> <nil> <nil> <nil>
	// 0.050
	// mixer: bad argument: gain: 30 dB is not in -120..24
}

func ExampleHandle_Audibility() {
	m, _ := mixer.New(mixer.Config{Rate: 1000})
	s, _ := sounds.NewSound(sounds.Samples{
		Rate: 1000, Channels: 1, Data: make([]float32, 40),
		Envelope: sounds.Envelope{Hop: 20, Once: []float32{0.01, 0.0001}}, // package library measures it
	})
	h, _ := m.Play(s, mixer.Options{Pan: 1, Gain: -10})
	render(m, 10)
	fmt.Printf("%.1f dB\n", h.Audibility())
	// Output: -30.0 dB
}

func ExampleHandle_Done() {
	m, _ := mixer.New(mixer.Config{Rate: 1000})
	h, _ := m.Play(tone(100), mixer.Options{})
	render(m, 200) // in a program, the device renders
	<-h.Done()
	fmt.Println(h.State())
	// Output: ended
}

func ExampleMoment_Set() {
	m, _ := mixer.New(mixer.Config{Rate: 1000, NoLimiter: true})
	for range 3 {
		m.Play(tone(500), mixer.Options{Pan: -1, EngineOptions: mixer.EngineOptions{Tag: 7}})
	}
	m.Engine().At(100).Set(mixer.TargetTag(7), mixer.Change{Fields: mixer.FieldGain | mixer.FieldPan, Gain: -20, Pan: 1}, 50*time.Millisecond)
	block := render(m, 200)
	fmt.Printf("%.2f, then %.2f\n", block[99], block[150])
	// Output: [1.50 0.00], then [0.00 0.15]
}

func ExampleMoment_Seek() {
	m, _ := mixer.New(mixer.Config{Rate: 1000})
	s := tone(500)
	a, _ := m.Play(s, mixer.Options{})
	b, _ := m.Play(s, mixer.Options{From: 200 * time.Millisecond})
	m.Engine().At(100).Seek(mixer.TargetSound(s), 0)
	render(m, 150)
	fmt.Println(a.Position(), b.Position())
	// Output: 50ms 50ms
}

func ExampleMoment_Pause() {
	m, _ := mixer.New(mixer.Config{Rate: 1000, Buses: []mixer.BusConfig{{Name: "sfx"}}})
	sfx, _ := m.Bus("sfx")
	m.Engine().At(0).Pause(mixer.TargetBus(sfx)) // later starts wait, too
	h, _ := m.Engine().At(50).Play(tone(500), mixer.Options{Bus: sfx})
	m.Engine().At(100).Resume(mixer.TargetBus(sfx))
	render(m, 60)
	fmt.Println(h.State())
	render(m, 60)
	fmt.Println(h.State(), h.Position())
	// Output:
	// paused
	// playing 20ms
}

func ExampleMoment_Resize() {
	m, _ := mixer.New(mixer.Config{Rate: 1000, Voices: 4, MaxVoices: 8})
	for range 4 {
		m.Play(tone(500), mixer.Options{})
	}
	m.Engine().At(100).Resize(3)
	render(m, 200)
	fmt.Println(m.Stats().Playing, "play,", m.Stats().Stolen, "gave way")
	// Output: 3 play, 1 gave way
}
