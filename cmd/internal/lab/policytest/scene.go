package policytest

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/lab/bench"
	"voicepool/cmd/internal/lab/steal"
	"voicepool/cue"
	"voicepool/cue/report"
	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// sceneRun is a built-in scene drawn from one seed, with its sheet, its reference and other values that every policy
// and pool size share.
type sceneRun struct {
	stage     *Stage
	scene     *steal.Scene
	sheet     *cue.Sheet
	cues      []int        // index of each cue's event in the scene
	parts     []steal.Part // nil: not measured
	reference *reference
	length    float64 // seconds
}

// newSceneRun prepares the measurements of one built-in test scene, identified by its name and a seed. It generates
// the starts of the scene, its cue sheet, and the signal of each start. It also renders the reference: a mix with a
// slot for every sound, so that no sound is stolen. The scene ends after p.Frames at most. If p.Brief is true or the
// scene is not separable, it omits the signals. An unknown name is an error that wraps steal.ErrScene. With an error,
// do not use the result.
func newSceneRun(ctx context.Context, stage *Stage, name string, seed uint64, p *Plan) (*sceneRun, error) {
	r := &sceneRun{stage: stage}
	var err error
	if r.scene, err = steal.NewScene(name, seed, stage.corpus); err != nil {
		return nil, err
	}
	r.scene.Cut(p.Frames)
	if !p.Brief && r.scene.Separable() {
		if r.parts, err = r.scene.Parts(stage.corpus); err != nil {
			return nil, err
		}
	}
	var text []byte
	text, r.cues = r.scene.Sheet(stage.corpus, "")
	if r.sheet, err = cue.Parse(filepath.Join(stage.folder, name+".yaml"), text); err != nil {
		return nil, err
	}
	whole := Policy{Overflow: mixer.Reject}
	run, err := render(ctx, whole.Apply(r.sheet, len(r.scene.Events)), stage.lib)
	if err != nil {
		return nil, err
	}
	r.length = float64(r.scene.Frames) / steal.Rate
	r.reference, err = newReference(run.Mix, steal.Rate)
	return r, err
}

// measure renders the scene with the policy p and a pool of the given number of voices. It compares the mix with the
// reference, a mix without steals. The row has the differences, and the steals and rejected starts per second. A voice
// that became virtual counts as a steal, too. A steal counts as audible if the missing rest of the sound would be heard
// in the mix within about 96 ms after the cut. The caller sets the fields Scene, Seed and Optimum of the row.
func (r *sceneRun) measure(ctx context.Context, p Policy, voices int) (Row, error) {
	run, err := render(ctx, p.Apply(r.sheet, voices), r.stage.lib)
	if err != nil {
		return Row{}, err
	}
	d, err := r.reference.compare(run.Mix)
	if err != nil {
		return Row{}, err
	}
	losses := run.Losses()
	row := Row{
		Voices: voices, Virtual: p.Virtuals(r.sheet.Virtual), Policy: p.Name, Difference: d, Lost: new(run.lostStarts()),
		Steals: new(float64(losses.Steals+losses.Swaps) / r.length), Rejected: new(float64(run.Report.Totals.Rejected) / r.length),
	}
	if r.parts == nil {
		return row, nil
	}
	unheard, cuts := r.withoutSlot(run.Report.Events)
	audible := 0
	missing := make([]pcm.Frame, r.reference.CutFrames())
	for _, cut := range cuts {
		r.parts[cut.Part].Missing(missing, cut.From, cut.To, steal.Tail())
		if r.reference.CutAudible(run.Mix, cut.From, missing) {
			audible++
		}
	}
	steals := len(cuts)
	row.Power = new(report.Level(steal.PowerError(r.parts, unheard, r.scene.Frames)))
	row.Steals = new(float64(steals) / r.length)
	row.CutsPerSecond = new(float64(audible) / r.length)
	if steals > 0 {
		row.Cuts = new(float64(audible) / float64(steals))
	}
	return row, nil
}

// withoutSlot finds the times when sounds of the scene were not mixed, because they were rejected, stolen or virtual.
// It reads them from events, the report of a run. The result silent lists these ranges of frames, ordered by sound.
// Each sound also has a range there from frame 0 to its first slot; if it was rejected, that range ends with the
// scene. The result cuts lists only the ranges that begin after the start of their sound: there a playing voice was
// cut off.
func (r *sceneRun) withoutSlot(events []report.Event) (silent, cuts []steal.Span) {
	spans := make([][]slotSpan, len(r.parts))
	for _, s := range slotSpans(events) {
		i := r.cues[s.cue]
		spans[i] = append(spans[i], s)
	}
	for i, list := range spans {
		gap, lost := steal.Span{Part: i}, true
		for k := range len(list) + 1 {
			gap.To = r.scene.Frames
			if k < len(list) {
				gap.To = list[k].from
			}
			if lost {
				silent = append(silent, gap)
				if gap.From > r.parts[i].From {
					cuts = append(cuts, gap)
				}
			}
			if k < len(list) {
				gap.From, lost = list[k].to, list[k].lost
			}
		}
	}
	return silent, cuts
}

// Plan lists the measurements of the built-in scenes.
type Plan struct {
	Scenes   []string
	Seeds    []uint64
	Voices   []int // pool sizes
	Policies []Policy
	Frames   int64 // length of each scene, at least 1; a scene lasts steal.SceneFrames at most
	Brief    bool  // omit the optimum, the bound, powers and cuts
}

// Measure measures every scene of the plan with every seed, in parallel on all processors. stage has the sounds of the
// scenes. The rows are in the order of scenes, then of seeds. Measure calls progress with the number of finished pairs
// of scene and seed; progress may be nil. If a pair fails, its rows are missing, and Measure returns the first error
// in the order of the rows. If ctx ends, Measure returns the rows of the finished pairs and the cause of ctx.
func (p *Plan) Measure(ctx context.Context, stage *Stage, progress func(done, total int)) ([]Row, error) {
	jobs := len(p.Scenes) * len(p.Seeds)
	results, errs := make([][]Row, jobs), make([]error, jobs)
	console.Each(jobs, progress, func(i int) {
		if ctx.Err() == nil {
			results[i], errs[i] = p.measure(ctx, stage, p.Scenes[i/len(p.Seeds)], p.Seeds[i%len(p.Seeds)])
		}
	})
	if ctx.Err() != nil {
		return slices.Concat(results...), context.Cause(ctx)
	}
	return slices.Concat(results...), cmp.Or(errs...)
}

// measure measures the built-in scene called name, generated from seed. It returns a row for each pool size and policy
// of the plan. After the policies of a pool size come two more rows. The row "optimum" is the best choice of victims,
// found with hindsight. The row "bound" has only a lower bound for the power error of any choice. The field Optimum of
// a policy's row is its K-error minus the K-error of the row "optimum". With an error, it returns no rows.
func (p *Plan) measure(ctx context.Context, stage *Stage, name string, seed uint64) ([]Row, error) {
	r, err := newSceneRun(ctx, stage, name, seed, p)
	if err != nil {
		return nil, err
	}
	if r.parts == nil {
		return p.measureBriefly(ctx, r)
	}
	bounds := steal.Bound(r.parts, r.scene.Frames, p.Voices)
	optima := steal.Optima(r.parts, r.scene.Frames, p.Voices)
	var rows []Row
	for k, voices := range p.Voices {
		best := steal.Mix(r.parts, optima[k].Cuts, steal.Tail(), r.scene.Frames)
		least, err := r.reference.compare(best)
		if err != nil {
			return nil, err
		}
		for _, policy := range p.Policies {
			row, err := r.measure(ctx, policy, voices)
			if err != nil {
				return nil, err
			}
			row.Optimum = new(*row.KError - *least.KError)
			rows = append(rows, row)
		}
		rows = append(rows,
			Row{Policy: "optimum", Voices: voices, Difference: least, Power: new(report.Level(optima[k].KError))},
			Row{Policy: "bound", Voices: voices, Power: new(report.Level(bounds[k]))})
	}
	for i := range rows {
		rows[i].Scene, rows[i].Seed = name, seed
	}
	return rows, nil
}

// measureBriefly measures the scene r without an optimum and a bound.
func (p *Plan) measureBriefly(ctx context.Context, r *sceneRun) (rows []Row, err error) {
	for _, voices := range p.Voices {
		for _, policy := range p.Policies {
			row, err := r.measure(ctx, policy, voices)
			if err != nil {
				return nil, err
			}
			row.Scene, row.Seed = r.scene.Name, r.scene.Seed
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// Write writes the scenes of the plan as files that voicepool render can play. It creates the folder to. In this
// folder it writes a cue sheet SCENE-SEED.yaml for each scene and seed. It writes the sounds of corpus as WAV files
// into the subfolder sounds. If the folder to exists already, that is an error. After an error, files already written
// remain.
func (p *Plan) Write(to string, corpus []steal.Recording) error {
	folder := filepath.Join(to, "sounds")
	for _, name := range [...]string{to, folder} {
		if err := os.Mkdir(name, 0o777); err != nil {
			return fmt.Errorf("%s: %w", name, words.Cause(err))
		}
	}
	if err := writeCorpus(folder, corpus); err != nil {
		return err
	}
	for _, name := range p.Scenes {
		for _, seed := range p.Seeds {
			scene, err := steal.NewScene(name, seed, corpus)
			if err != nil {
				return err
			}
			scene.Cut(p.Frames)
			sheet, _ := scene.Sheet(corpus, "sounds/")
			file := filepath.Join(to, fmt.Sprintf("%s-%d.yaml", name, seed))
			if err := os.WriteFile(file, sheet, 0o666); err != nil {
				return fmt.Errorf("%s: %w", file, words.Cause(err))
			}
		}
	}
	return nil
}

// Stage is the environment for rendering scenes. Their sounds are files in a folder, so that rendering works as in
// voicepool render.
type Stage struct {
	folder string
	corpus []steal.Recording
	lib    *library.Library
}

// NewStage returns a Stage, which renders scenes with the sounds of corpus. It writes these sounds as WAV files into a
// new temporary folder. The caller must call Close, which removes the folder. If NewStage fails, it leaves no folder.
func NewStage(corpus []steal.Recording) (*Stage, error) {
	folder, err := os.MkdirTemp("", "voicepool-stealbench-")
	if err != nil {
		return nil, err
	}
	s := &Stage{folder: folder, corpus: corpus, lib: library.NewLibrary(library.Options{Rate: steal.Rate})}
	if err := writeCorpus(folder, s.corpus); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close removes the temporary folder.
func (s *Stage) Close() { os.RemoveAll(s.folder) }

// writeCorpus writes each recording of corpus as the WAV file NAME.wav into folder, which must exist. It overwrites
// files of the same name. It stops at the first error, and the files already written remain.
func writeCorpus(folder string, corpus []steal.Recording) error {
	for i := range corpus {
		if err := os.WriteFile(filepath.Join(folder, corpus[i].Name+".wav"), corpus[i].WAV(), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// ClickShare is the share of cuts with an audible click for one kind of fade.
type ClickShare struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"`
}

// Clicks measures how often the cut of a stolen voice causes an audible click. The result has a share from 0 to 1 for
// each kind of fade: first for the mixer's own fade of a stolen voice, then for simulated fades down to a hard cut. All
// fades are measured on the same 300 pairs of a voice and the sound that replaces it, drawn with seed. The last error
// of the mixer is returned with the shares, which are then not valid.
func (s *Stage) Clicks(seed uint64) ([]ClickShare, error) {
	pairs := steal.Pairs(s.corpus, seed, 300)
	var failed error
	shares := []ClickShare{{"the mixer", steal.Clicks(pairs, func(p *steal.Pair) []float32 {
		signal, err := renderSteal(p)
		if err != nil {
			failed = err
		}
		return signal
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

// renderSteal renders how the mixer fades out a stolen voice. It plays p.Voice on the left channel of a mixer with one
// slot. At frame p.Cut a silent start on the right channel steals the slot. The result is the left channel, as long as
// p.Voice: the voice up to the cut, its fade, then silence.
func renderSteal(p *steal.Pair) ([]float32, error) {
	m, err := mixer.New(mixer.Config{Rate: steal.Rate, Voices: 1, NoLimiter: true})
	if err != nil {
		return nil, err
	}
	sound, err := sounds.NewSound(sounds.Samples{Rate: steal.Rate, Channels: 1, Data: p.Voice})
	if err != nil {
		return nil, err
	}
	if _, err := m.Engine().At(0).Play(sound, mixer.Options{Pan: -1}); err != nil {
		return nil, err
	}
	if _, err := m.Engine().At(int64(p.Cut)).Play(sound, mixer.Options{Gain: pcm.Silence, Pan: 1}); err != nil {
		return nil, err
	}
	mixed := make([]pcm.Frame, len(p.Voice))
	m.Render(mixed)
	signal := make([]float32, len(mixed))
	for i := range mixed {
		signal[i] = mixed[i][0]
	}
	return signal, nil
}

// startBatch is the number of starts per measurement. It is large enough for the clock, and small
// enough for a short command queue, as in a game.
const startBatch = 64

// NsPerStart measures how long Render takes to start a sound when the pool is full. The pool has the given number of
// voices and uses the policy p. The result is the median in nanoseconds per start. It covers the choice of the victim,
// the end of the victim and the start. It covers neither mixing nor the fades of victims, because Render is called
// without frames. The sound is the first of the corpus. p.Ends is ignored. With an error, the figure is not valid.
func (s *Stage) NsPerStart(p Policy, voices int) (float64, error) {
	sound, err := s.corpus[0].Voice()
	if err != nil {
		return 0, err
	}
	m, err := mixer.New(mixer.Config{Rate: steal.Rate, Voices: voices, Virtual: p.Virtuals(0), Overflow: p.Overflow, RejectQuietest: p.Refuse, IgnoreFilters: p.IgnoreFilters, Commands: voices + startBatch, NoLimiter: true})
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
		start := time.Now()
		m.Render(nil)
		elapsed := time.Since(start)
		for m.Events(events) > 0 {
		}
		return elapsed
	}
	once(voices)
	runs := make([]float64, 25*bench.Runs)
	for i := range runs {
		runs[i] = float64(once(startBatch).Nanoseconds()) / startBatch
	}
	return bench.Median(runs), err
}
