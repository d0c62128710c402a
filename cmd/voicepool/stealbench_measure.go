package main

import (
	"bytes"
	"context"
	"path/filepath"

	"voicepool/cue"
	"voicepool/cue/report"
	"voicepool/internal/steal"
	"voicepool/mixer"
	"voicepool/pcm"
)

// sceneRun is a scene of one seed with all that is known without a pool.
type sceneRun struct {
	stage     *stealStage
	scene     *steal.Scene
	sheet     *cue.Sheet
	cues      []int // the event of a cue
	parts     []steal.Part
	reference *steal.Reference
	length    float64 // seconds
}

// measure returns the rows of one scene and seed.
func (b *stealbenchCommand) measure(ctx context.Context, stage *stealStage, name string, seed uint64) ([]stealRow, error) {
	r, err := newSceneRun(ctx, stage, name, seed)
	if err != nil {
		return nil, err
	}
	bounds := steal.Bound(r.parts, r.scene.Frames, b.Voices)
	optima := steal.Optima(r.parts, r.scene.Frames, b.Voices)
	var rows []stealRow
	for k, voices := range b.Voices {
		best := steal.Mix(r.parts, optima[k].Cuts, steal.Tail(), r.scene.Frames)
		least := r.reference.KError(best)
		for _, p := range b.Policies {
			row, err := r.measure(ctx, p, voices)
			if err != nil {
				return nil, err
			}
			row.Optimum = ref(level(float64(*row.KError) - least))
			rows = append(rows, row)
		}
		rows = append(rows,
			stealRow{Policy: "optimum", Voices: voices, KError: ref(level(least)), Power: ref(level(optima[k].KError)), Tiles: ref(r.reference.Tiles(best))},
			stealRow{Policy: "bound", Voices: voices, Power: ref(level(bounds[k]))})
	}
	for i := range rows {
		rows[i].Scene, rows[i].Seed = name, seed
	}
	return rows, nil
}

func ref[T any](x T) *T { return &x }

func newSceneRun(ctx context.Context, stage *stealStage, name string, seed uint64) (*sceneRun, error) {
	r := &sceneRun{stage: stage}
	var err error
	if r.scene, err = steal.NewScene(name, seed, stage.corpus); err != nil {
		return nil, err
	}
	if r.parts, err = r.scene.Parts(stage.corpus); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if r.cues, err = r.scene.WriteSheet(&text, stage.corpus, func(i int) string { return stage.corpus[i].Name + ".wav" }); err != nil {
		return nil, err
	}
	if r.sheet, err = cue.Parse(filepath.Join(stage.folder, name+".yaml"), text.Bytes()); err != nil {
		return nil, err
	}
	whole := stealPolicy{overflow: mixer.Reject}
	mix, _, err := renderAll(ctx, whole.apply(r.sheet, len(r.scene.Events)), stage.bank, r.scene.Frames)
	if err != nil {
		return nil, err
	}
	r.length = float64(r.scene.Frames) / steal.Rate
	r.reference, err = steal.NewReference(mix, steal.Rate)
	return r, err
}

// measure renders the scene with a pool and a policy and compares it with the
// reference.
func (r *sceneRun) measure(ctx context.Context, p stealPolicy, voices int) (stealRow, error) {
	mix, report, err := renderAll(ctx, p.apply(r.sheet, voices), r.stage.bank, r.scene.Frames)
	if err != nil {
		return stealRow{}, err
	}
	course := r.follow(report.Events)
	audible := 0
	missing := make([]pcm.Frame, r.reference.CutFrames())
	for _, cut := range course.cuts {
		r.parts[cut.Part].Missing(missing, cut.From, cut.To, steal.Tail())
		if r.reference.CutAudible(mix, cut.From, missing) {
			audible++
		}
	}
	steals := len(course.cuts)
	row := stealRow{
		Voices: voices, Virtual: p.virtuals(r.sheet.Virtual), Policy: p.name,
		KError: ref(level(r.reference.KError(mix))), Tiles: ref(r.reference.Tiles(mix)),
		Power:  ref(level(steal.PowerError(r.parts, course.unheard, r.scene.Frames))),
		Steals: ref(float64(steals) / r.length), Rejected: ref(float64(report.Totals.Rejected) / r.length),
	}
	if steals > 0 {
		row.Cuts = ref(float64(audible) / float64(steals))
	}
	return row, nil
}

// course is what became of the voices of a scene.
type course struct {
	unheard []steal.Span
	cuts    []steal.Span // those of them that begin when a voice is heard; To: where it comes back
}

// follow works out from events when each voice was not heard.
func (r *sceneRun) follow(events []report.Event) course {
	const heard = -1
	since := make([]int64, len(r.parts)) // by event, unheard since that frame
	cut := make([]int, len(r.parts))     // by event, the number of its last cut, from 1
	byVoice := map[uint64]int{}
	var c course
	for i := range events {
		switch e := &events[i]; e.Kind {
		case mixer.Started:
			byVoice[e.Voice] = r.cues[e.Cue]
			since[r.cues[e.Cue]] = heard
		case mixer.Stolen, mixer.BecameVirtual:
			if event := byVoice[e.Voice]; since[event] == heard {
				since[event] = e.Frame
				if e.Frame > r.parts[event].From {
					c.cuts = append(c.cuts, steal.Span{Part: event, From: e.Frame, To: r.scene.Frames})
					cut[event] = len(c.cuts)
				}
			}
		case mixer.BecameReal:
			event := byVoice[e.Voice]
			c.unheard = append(c.unheard, steal.Span{Part: event, From: since[event], To: e.Frame})
			since[event] = heard
			if n := cut[event]; n > 0 {
				c.cuts[n-1].To, cut[event] = e.Frame, 0
			}
		}
	}
	for event, from := range since {
		if from != heard {
			c.unheard = append(c.unheard, steal.Span{Part: event, From: from, To: r.scene.Frames})
		}
	}
	return c
}
