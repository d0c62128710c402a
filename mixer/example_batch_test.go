package mixer_test

import (
	"fmt"
	"time"

	"voicepool/mixer"
)

// Commands in a batch wait until it is fired and are then executed at one frame.
func ExampleBatch() {
	m, _ := mixer.New(mixer.Config{Rate: 1000})
	s := m.Engine().NewBatch()
	s.At(0).Play(tone(50), mixer.Options{})
	s.At(20).Play(tone(50), mixer.Options{})
	render(m, 100)
	fmt.Println("playing:", m.Stats().Playing)
	m.Engine().At(130).Fire(s)
	render(m, 60)
	frame, fired := s.Base()
	fmt.Println("playing:", m.Stats().Playing, "fired:", fired, frame)
	// Output:
	// playing: 0
	// playing: 2 fired: true 130
}

// A batch can wait for the end of several voices: its commands are executed at the frame at which the
// last of them ends.
func ExampleCountdown() {
	m, _ := mixer.New(mixer.Config{Rate: 1000})
	speech, applause := m.Engine().NewCountdown(), m.Engine().NewBatch()
	at := m.Engine().At(0)
	at.Add(speech, 2)
	at.Play(tone(70), mixer.Options{EngineOptions: mixer.EngineOptions{Countdowns: [2]*mixer.Countdown{speech}}})
	at.Play(tone(110), mixer.Options{EngineOptions: mixer.EngineOptions{Countdowns: [2]*mixer.Countdown{speech}}})
	applause.At(0).Play(tone(500), mixer.Options{})
	at.FireAt(applause, speech)
	render(m, 200)
	frame, _ := applause.Base()
	fmt.Println(time.Duration(frame) * time.Millisecond)
	// Output:
	// 110ms
}

// Two outputs have a master and a limiter each. Render interleaves them.
func ExampleMixer_Outputs() {
	m, _ := mixer.New(mixer.Config{
		Rate: 1000, NoLimiter: true,
		Outputs: []mixer.Output{{Name: "main"}, {Name: "booth"}},
		Buses:   []mixer.BusConfig{{Name: "talk", Output: "booth"}},
	})
	talk, _ := m.Bus("talk")
	m.Play(tone(100), mixer.Options{Bus: talk})
	frames := render(m, 10*m.Outputs()) // 10 frames of each
	fmt.Printf("main %.2f, booth %.2f\n", frames[2*9][0], frames[2*9+1][0])
	// Output:
	// main 0.00, booth 0.35
}
