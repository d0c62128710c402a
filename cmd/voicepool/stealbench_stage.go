package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"voicepool/cmd/internal/bench"
	"voicepool/cue"
	"voicepool/internal/steal"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/voice"
)

// stealStage is where scenes are rendered: their sounds are files in a folder, so
// that nothing is different from what render does.
type stealStage struct {
	folder string
	corpus []steal.Recording
	bank   *sounds.Bank
}

func newStealStage(corpus []steal.Recording) (*stealStage, error) {
	folder, err := os.MkdirTemp("", "voicepool-stealbench-")
	if err != nil {
		return nil, err
	}
	s := &stealStage{folder: folder, corpus: corpus, bank: sounds.NewBank(sounds.Options{Rate: steal.Rate})}
	if err := writeCorpus(folder, s.corpus); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *stealStage) close() { os.RemoveAll(s.folder) }

func writeCorpus(folder string, corpus []steal.Recording) error {
	for i := range corpus {
		var b bytes.Buffer
		if _, err := corpus[i].WriteTo(&b); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, corpus[i].Name+".wav"), b.Bytes(), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// write writes scenes and sounds into a new folder, for render.
func (b *stealbenchCommand) write(c *console, interrupted *interrupts) error {
	corpus, own, err := b.recordings(interrupted, c)
	if err != nil {
		return err
	}
	if err := os.Mkdir(b.Write, 0o777); err != nil {
		return fmt.Errorf("%s: %w", b.Write, cause(err))
	}
	folder := filepath.Join(b.Write, "sounds")
	if err := os.Mkdir(folder, 0o777); err != nil {
		return fmt.Errorf("%s: %w", folder, cause(err))
	}
	if err := writeCorpus(folder, corpus); err != nil {
		return err
	}
	if own != nil {
		own.print(c.out)
	}
	for _, name := range b.Scenes {
		for _, seed := range b.Seeds {
			scene, err := steal.NewScene(name, seed, corpus)
			if err != nil {
				return err
			}
			var sheet bytes.Buffer
			if _, err := scene.WriteSheet(&sheet, corpus, func(i int) string { return "sounds/" + corpus[i].Name + ".wav" }); err != nil {
				return err
			}
			file := filepath.Join(b.Write, fmt.Sprintf("%s-%d.yaml", name, seed))
			if err := os.WriteFile(file, sheet.Bytes(), 0o666); err != nil {
				return fmt.Errorf("%s: %w", file, cause(err))
			}
		}
	}
	return nil
}

// renderAll plays a sheet to its end as render does, and keeps the mix.
func renderAll(ctx context.Context, sheet *cue.Sheet, bank *sounds.Bank, most int64) ([]pcm.Frame, *cue.Report, error) {
	player, err := cue.NewPlayer(ctx, sheet, bank, cue.Options{Events: true})
	if err != nil {
		return nil, nil, err
	}
	var mix []pcm.Frame
	block := make([]pcm.Frame, 4096)
	for {
		n, err := player.Read(block)
		mix = append(mix, block[:n]...)
		switch {
		case errors.Is(err, io.EOF):
			return mix, player.Report(), nil
		case err != nil:
			return nil, nil, err
		case ctx.Err() != nil:
			return nil, nil, context.Cause(ctx)
		case int64(len(mix)) > most:
			return nil, nil, fmt.Errorf("%s: it is longer than %s, which is as much as can be compared; --length cuts it", oneLine(sheet.File), seconds(most, sheet.Rate))
		}
	}
}

// measureAll measures every scene with every seed, as many at a time as there are
// processors.
func (b *stealbenchCommand) measureAll(c *console, ctx context.Context, stage *stealStage) ([]stealRow, error) {
	type job struct {
		scene string
		seed  uint64
	}
	var jobs []job
	for _, scene := range b.Scenes {
		for _, seed := range b.Seeds {
			jobs = append(jobs, job{scene, seed})
		}
	}
	results, errs := make([][]stealRow, len(jobs)), make([]error, len(jobs))
	var wait sync.WaitGroup
	var mutex sync.Mutex
	next, done := 0, 0
	tell := func() {
		if !b.Quiet {
			c.progress("measuring %s %d of %d", gauge(float64(done)/float64(len(jobs)), 20), done, len(jobs))
		}
	}
	tell()
	for range min(runtime.GOMAXPROCS(0), len(jobs)) {
		wait.Go(func() {
			for {
				mutex.Lock()
				i := next
				next++
				mutex.Unlock()
				if i >= len(jobs) || ctx.Err() != nil {
					return
				}
				results[i], errs[i] = b.measure(ctx, stage, jobs[i].scene, jobs[i].seed)
				mutex.Lock()
				done++
				tell()
				mutex.Unlock()
			}
		})
	}
	wait.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var rows []stealRow
	for i := range jobs {
		if errs[i] != nil {
			return nil, errs[i]
		}
		rows = append(rows, results[i]...)
	}
	return rows, nil
}

// clickShare is how many cuts of a kind click.
type clickShare struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"`
}

// clicks compares how the mixer lets a voice go with other ways, on pairs of a
// voice and a newcomer.
func (s *stealStage) clicks(seed uint64) ([]clickShare, error) {
	pairs := steal.Pairs(s.corpus, seed, 300)
	var failed error
	shares := []clickShare{{"the mixer", steal.Clicks(pairs, func(p *steal.Pair) []float32 {
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
		shares = append(shares, clickShare{f.name, steal.Clicks(pairs, func(p *steal.Pair) []float32 { return p.Faded(f.fade) })})
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

// nsPerStart measures a start in a full pool: the choice, the end of the victim and
// the start itself, but no tail, since victims have not sounded yet.
func (s *stealStage) nsPerStart(p stealPolicy, voices int) (float64, error) {
	sound, err := s.corpus[0].Voice()
	if err != nil {
		return 0, err
	}
	m, err := mixer.New(mixer.Config{Rate: steal.Rate, Voices: voices, Virtual: p.virtuals(0), Overflow: p.overflow, Refuse: p.refuse, Commands: voices + startBatch, NoLimiter: true})
	if err != nil {
		return 0, err
	}
	play := func(n int) {
		for i := range n {
			if _, e := m.Play(sound, mixer.Options{Gain: pcm.Decibels(-30 - i%13)}); e != nil {
				err = e
			}
		}
	}
	events := make([]mixer.Event, 256)
	once := func(n int) time.Duration {
		play(n)
		begin := time.Now()
		m.Render(nil)
		took := time.Since(begin)
		for m.Events(events) > 0 {
		}
		return took
	}
	once(voices)
	ns := bench.Median(25*bench.Runs, func() float64 { return float64(once(startBatch).Nanoseconds()) / startBatch })
	return ns, err
}
