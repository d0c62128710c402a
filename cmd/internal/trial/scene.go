package trial

import (
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

func newSceneRun(ctx context.Context, stage *Stage, name string, seed uint64) (*sceneRun, error) {
	r := &sceneRun{stage: stage}
	var err error
	if r.scene, err = steal.NewScene(name, seed, stage.corpus); err != nil {
		return nil, err
	}
	if r.parts, err = r.scene.Parts(stage.corpus); err != nil {
		return nil, err
	}
	var text []byte
	text, r.cues = r.scene.Sheet(stage.corpus, "")
	if r.sheet, err = cue.Parse(filepath.Join(stage.folder, name+".yaml"), text); err != nil {
		return nil, err
	}
	whole := Policy{Overflow: mixer.Reject}
	run, err := render(ctx, whole.Apply(r.sheet, len(r.scene.Events)), stage.bank)
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
	run, err := render(ctx, p.Apply(r.sheet, voices), r.stage.bank)
	if err != nil {
		return Row{}, err
	}
	unheard, cuts := r.follow(run.Report.Events)
	audible := 0
	missing := make([]pcm.Frame, r.reference.CutFrames())
	for _, cut := range cuts {
		r.parts[cut.Part].Missing(missing, cut.From, cut.To, steal.Tail())
		if r.reference.CutAudible(run.Mix, cut.From, missing) {
			audible++
		}
	}
	steals := len(cuts)
	row := Row{
		Voices: voices, Virtual: p.Virtuals(r.sheet.Virtual), Policy: p.Name,
		KError: new(report.Level(r.reference.KError(run.Mix))), Tiles: new(r.reference.Tiles(run.Mix)),
		Power:  new(report.Level(steal.PowerError(r.parts, unheard, r.scene.Frames))),
		Steals: new(float64(steals) / r.length), Rejected: new(float64(run.Report.Totals.Rejected) / r.length),
	}
	if steals > 0 {
		row.Cuts = new(float64(audible) / float64(steals))
	}
	return row, nil
}

// follow works out from events when each voice was not heard, and at which of these
// times it was cut off: they begin when it is heard.
func (r *sceneRun) follow(events []report.Event) (unheard, cuts []steal.Span) {
	heard := make([][]spell, len(r.parts))
	for _, s := range spells(events) {
		i := r.cues[s.cue]
		heard[i] = append(heard[i], s)
	}
	for i, list := range heard {
		gap, lost := steal.Span{Part: i}, true
		for k := range len(list) + 1 {
			gap.To = r.scene.Frames
			if k < len(list) {
				gap.To = list[k].from
			}
			if lost {
				unheard = append(unheard, gap)
				if gap.From > r.parts[i].From {
					cuts = append(cuts, gap)
				}
			}
			if k < len(list) {
				gap.From, lost = list[k].to, list[k].lost
			}
		}
	}
	return unheard, cuts
}
