package trial

import (
	"os"
	"path/filepath"
	"time"

	"voicepool/cmd/internal/bench"
	"voicepool/internal/steal"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/voice"
)

// Stage is where scenes are rendered: their sounds are files in a folder, so
// that nothing is different from what render does.
type Stage struct {
	folder string
	corpus []steal.Recording
	bank   *sounds.Bank
}

// NewStage writes the sounds into a folder, which Close removes.
func NewStage(corpus []steal.Recording) (*Stage, error) {
	folder, err := os.MkdirTemp("", "voicepool-stealbench-")
	if err != nil {
		return nil, err
	}
	s := &Stage{folder: folder, corpus: corpus, bank: sounds.NewBank(sounds.Options{Rate: steal.Rate})}
	if err := writeCorpus(folder, s.corpus); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close removes the folder.
func (s *Stage) Close() { os.RemoveAll(s.folder) }

func writeCorpus(folder string, corpus []steal.Recording) error {
	for i := range corpus {
		if err := os.WriteFile(filepath.Join(folder, corpus[i].Name+".wav"), corpus[i].WAV(), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// ClickShare is how many cuts of a kind click.
type ClickShare struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"`
}

// Clicks compares how the mixer lets a voice go with other ways, on pairs of a
// voice and a newcomer.
func (s *Stage) Clicks(seed uint64) ([]ClickShare, error) {
	pairs := steal.Pairs(s.corpus, seed, 300)
	var failed error
	shares := []ClickShare{{"the mixer", steal.Clicks(pairs, func(p *steal.Pair) []float32 {
		heard, err := stolen(p)
		if err != nil {
			failed = err
		}
		return heard
	})}}
	for _, f := range []struct {
		name string
		fade steal.Fade
	}{
		{"raised cosine, 10 ms", steal.RaisedCosine(10)}, {"raised cosine, 5 ms", steal.RaisedCosine(5)},
		{"linear, 10 ms", steal.Linear(10)}, {"linear, 1 ms", steal.Linear(1)}, {"hard", steal.Linear(0)},
	} {
		shares = append(shares, ClickShare{f.name, steal.Clicks(pairs, func(p *steal.Pair) []float32 { return p.Faded(f.fade) })})
	}
	return shares, failed
}

// stolen returns the voice of a pair as it is heard when a mixer of one slot takes
// it for a silent newcomer.
func stolen(p *steal.Pair) ([]float32, error) {
	m, err := mixer.New(mixer.Config{Rate: steal.Rate, Voices: 1, NoLimiter: true})
	if err != nil {
		return nil, err
	}
	sound, err := voice.NewSound(voice.Samples{Rate: steal.Rate, Channels: 1, Data: p.Voice})
	if err != nil {
		return nil, err
	}
	if _, err := m.At(0).Play(sound, mixer.Options{Pan: -1}); err != nil {
		return nil, err
	}
	if _, err := m.At(int64(p.Cut)).Play(sound, mixer.Options{Gain: pcm.Silence, Pan: 1}); err != nil {
		return nil, err
	}
	mixed := make([]pcm.Frame, len(p.Voice))
	m.Render(mixed)
	heard := make([]float32, len(mixed))
	for i := range mixed {
		heard[i] = mixed[i][0]
	}
	return heard, nil
}

// startBatch is how many starts are measured at a time: enough for the clock, few
// enough that the queue of commands is short, as in a game.
const startBatch = 64

// NsPerStart measures a start in a full pool: the choice, the end of the victim and
// the start itself, but no tail, since victims have not sounded yet.
func (s *Stage) NsPerStart(p Policy, voices int) (float64, error) {
	sound, err := s.corpus[0].Voice()
	if err != nil {
		return 0, err
	}
	m, err := mixer.New(mixer.Config{Rate: steal.Rate, Voices: voices, Virtual: p.Virtuals(0), Overflow: p.Overflow, RejectQuietest: p.Refuse, Commands: voices + startBatch, NoLimiter: true})
	if err != nil {
		return 0, err
	}
	events := make([]mixer.Event, 256)
	once := func(n int) time.Duration {
		for i := range n {
			if _, e := m.Play(sound, mixer.Options{Gain: pcm.Decibels(-30 - i%13)}); e != nil {
				err = e
			}
		}
		begin := time.Now()
		m.Render(nil)
		took := time.Since(begin)
		for m.Events(events) > 0 {
		}
		return took
	}
	once(voices)
	runs := make([]float64, 25*bench.Runs)
	for i := range runs {
		runs[i] = float64(once(startBatch).Nanoseconds()) / startBatch
	}
	return bench.Median(runs), err
}
