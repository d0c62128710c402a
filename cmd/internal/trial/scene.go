package trial

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
	stage     *Stage
	scene     *steal.Scene
	sheet     *cue.Sheet
	cues      []int // the event of a cue
	parts     []steal.Part
	reference *steal.Reference
	length    float64 // seconds
}

func ref[T any](x T) *T { return &x }

func newSceneRun(ctx context.Context, stage *Stage, name string, seed uint64) (*sceneRun, error) {
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
	whole := Policy{Overflow: mixer.Reject}
	run, err := Render(ctx, whole.Apply(r.sheet, len(r.scene.Events)), stage.bank, r.scene.Frames)
	if err != nil {
		return nil, err
	}
	r.length = float64(r.scene.Frames) / steal.Rate
	r.reference, err = steal.NewReference(run.Mix, steal.Rate)
	return r, err
}

// measure renders the scene with a pool and a policy and compares it with the
// reference.
func (r *sceneRun) measure(ctx context.Context, p Policy, voices int) (Row, error) {
	run, err := Render(ctx, p.Apply(r.sheet, voices), r.stage.bank, r.scene.Frames)
	if err != nil {
		return Row{}, err
	}
	course := r.follow(run.Report.Events)
	audible := 0
	missing := make([]pcm.Frame, r.reference.CutFrames())
	for _, cut := range course.cuts {
		r.parts[cut.Part].Missing(missing, cut.From, cut.To, steal.Tail())
		if r.reference.CutAudible(run.Mix, cut.From, missing) {
			audible++
		}
	}
	steals := len(course.cuts)
	row := Row{
		Voices: voices, Virtual: p.Virtuals(r.sheet.Virtual), Policy: p.Name,
		KError: ref(report.Level(r.reference.KError(run.Mix))), Tiles: ref(r.reference.Tiles(run.Mix)),
		Power:  ref(report.Level(steal.PowerError(r.parts, course.unheard, r.scene.Frames))),
		Steals: ref(float64(steals) / r.length), Rejected: ref(float64(run.Report.Totals.Rejected) / r.length),
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
		case mixer.EventStarted:
			byVoice[e.Voice] = r.cues[e.Cue]
			since[r.cues[e.Cue]] = heard
		case mixer.EventStolen, mixer.EventVirtual:
			if event := byVoice[e.Voice]; since[event] == heard {
				since[event] = e.Frame
				if e.Frame > r.parts[event].From {
					c.cuts = append(c.cuts, steal.Span{Part: event, From: e.Frame, To: r.scene.Frames})
					cut[event] = len(c.cuts)
				}
			}
		case mixer.EventReal:
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
