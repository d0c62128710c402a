package steal_test

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"voicepool/cmd/internal/lab/steal"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/cue/report"
	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// stage renders scenes with the real mixer, from a folder of files.
type stage struct {
	folder string
	corpus []steal.Recording
	lib    *library.Library
}

func newStage(t *testing.T, corpus []steal.Recording) *stage {
	t.Helper()
	s := &stage{t.TempDir(), corpus, library.NewLibrary(library.Options{Rate: steal.Rate})}
	for i := range corpus {
		if err := os.WriteFile(filepath.Join(s.folder, corpus[i].Name+".wav"), corpus[i].WAV(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// render plays a scene; cues maps the cues of its sheet to its events.
func (s *stage) render(t *testing.T, scene *steal.Scene, voices int, policy mixer.Overflow) (mix []pcm.Frame, report *report.Report, cues []int) {
	t.Helper()
	text, cues := scene.Sheet(s.corpus, "")
	sheet, err := cue.Parse(filepath.Join(s.folder, "scene.yaml"), text)
	if err != nil {
		t.Fatal(err)
	}
	sheet.Voices, sheet.Overflow = voices, policy
	player, err := play.NewPlayer(context.Background(), sheet, s.lib, play.Options{Events: true})
	if err != nil {
		t.Fatal(err)
	}
	block := make([]pcm.Frame, 4096)
	for {
		n, err := player.Read(block)
		mix = append(mix, block[:n]...)
		if errors.Is(err, io.EOF) {
			return mix, player.Report(), cues
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestWallsMix checks that with walls that appear and vanish, the parts of a scene add up to the mixer's
// output.
func TestWallsMix(t *testing.T) {
	if steal.Race {
		t.Skip("one goroutine, and slow")
	}
	corpus := steal.CorpusOne()
	scene, err := steal.NewScene("walls", 1, corpus)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := steal.PartsOne(scene)
	if err != nil {
		t.Fatal(err)
	}
	mix, _, _ := newStage(t, corpus).render(t, scene, 400, mixer.StealQuietest)
	own := steal.Mix(parts, nil, steal.Tail(), scene.Frames)
	worst := 0.0
	for i := range own {
		for c := range own[i] {
			worst = max(worst, math.Abs(float64(own[i][c]-mix[i][c])))
		}
	}
	if worst > 1e-5 {
		t.Errorf("they differ by up to %v", worst)
	}
}

// TestSimulator checks that the simulator steals and restores the same voices as the mixer, at the same frames,
// and mixes the same output.
func TestSimulator(t *testing.T) {
	if steal.Race {
		t.Skip("one goroutine, and slow")
	}
	corpus := steal.CorpusOne()
	stage, next := newStage(t, corpus), longtest.Every(2)
	for _, name := range steal.Scenes() {
		if name == "walls" { // not simulated; see TestWallsMix
			continue
		}
		if !longtest.Enabled() && slices.Contains([]string{"plat", "rts", "crowd", "music"}, name) {
			continue
		}
		scene, err := steal.NewScene(name, 3, corpus)
		if err != nil {
			t.Fatal(err)
		}
		if !scene.Separable() { // the simulator does not support moves and pauses
			continue
		}
		sim, err := newSimulator(scene)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			policy mixer.Overflow
			least  score
		}{{mixer.StealQuietest, quietest}, {mixer.StealOldest, oldest}, {mixer.StealGain, leastGain}} {
			if !next() {
				continue
			}
			mix, report, cues := stage.render(t, scene, 16, c.policy)
			var real []move
			byVoice := map[uint64]int{}
			for _, e := range report.Events {
				switch e.Kind {
				case mixer.EventStarted:
					byVoice[e.Voice] = cues[e.Cue]
				case mixer.EventStolen, mixer.EventVirtual, mixer.EventReal:
					real = append(real, move{byVoice[e.Voice], e.Frame, e.Kind == mixer.EventReal})
				}
			}
			sim.plays = c.policy != mixer.StealQuietest
			simulated := sim.run(16, c.least)
			if len(real) == 0 || !slices.Equal(real, simulated) {
				at := 0
				for at < min(len(real), len(simulated)) && real[at] == simulated[at] {
					at++
				}
				t.Errorf("%s, %v: the mixer has %d moves, the simulator %d, and they differ from the %dth on", name, c.policy, len(real), len(simulated), at)
				if at < min(len(real), len(simulated)) {
					t.Errorf("%+v, %+v", real[at], simulated[at])
				}
				continue
			}
			own, slack := sim.mix(simulated)
			for i := range own {
				if d := own[i][0] - mix[i][0]; d > 1e-4+slack[i] || d < -1e-4-slack[i] {
					t.Errorf("%s, %v: frame %d is %v, the simulator mixes %v", name, c.policy, i, mix[i], own[i])
					break
				}
			}
		}
	}
}
