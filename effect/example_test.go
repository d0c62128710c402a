package effect_test

import (
	"fmt"

	"voicepool/effect"
	"voicepool/pcm"
)

// A delay without a mixer repeats a sample every 100 frames at half the level.
func ExampleEffect_NewProcessor() {
	echo, err := effect.New("delay", effect.Values{"time": 0.1, "feedback": 0.5})
	if err != nil {
		fmt.Println(err)
		return
	}
	p := echo.NewProcessor(1000, 400)
	block := make([]pcm.Frame, 400)
	block[0] = pcm.Frame{1, 1}
	p.Process(block, nil, 0)
	for i, f := range block {
		if f[0] != 0 {
			fmt.Println(i, f[0])
		}
	}
	fmt.Println([]effect.Effect{echo})
	_, err = effect.New("delya", nil)
	fmt.Println(err)
	// Output:
	// 100 1
	// 200 0.5
	// 300 0.25
	// [delay]
	// effect: bad value: there is no effect "delya"; the nearest is "delay"
}
