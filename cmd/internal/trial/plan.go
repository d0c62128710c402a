package trial

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"voicepool/cmd/internal/console"
	"voicepool/cue/report"
	"voicepool/internal/steal"
	"voicepool/internal/words"
)

// Plan is what is measured of the built-in scenes.
type Plan struct {
	Scenes   []string
	Seeds    []uint64
	Voices   []int // sizes of the pool
	Policies []Policy
}

// Measure measures every scene with every seed, as many at a time as there are
// processors, and tells how far it is.
func (p *Plan) Measure(ctx context.Context, stage *Stage, progress func(done, total int)) ([]Row, error) {
	jobs := len(p.Scenes) * len(p.Seeds)
	results, errs := make([][]Row, jobs), make([]error, jobs)
	progress(0, jobs)
	console.Each(jobs, progress, func(i int) {
		if ctx.Err() == nil {
			results[i], errs[i] = p.measure(ctx, stage, p.Scenes[i/len(p.Seeds)], p.Seeds[i%len(p.Seeds)])
		}
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return slices.Concat(results...), cmp.Or(errs...)
}

func (p *Plan) measure(ctx context.Context, stage *Stage, name string, seed uint64) ([]Row, error) {
	r, err := newSceneRun(ctx, stage, name, seed)
	if err != nil {
		return nil, err
	}
	bounds := steal.Bound(r.parts, r.scene.Frames, p.Voices)
	optima := steal.Optima(r.parts, r.scene.Frames, p.Voices)
	var rows []Row
	for k, voices := range p.Voices {
		best := steal.Mix(r.parts, optima[k].Cuts, steal.Tail(), r.scene.Frames)
		least := r.reference.KError(best)
		for _, policy := range p.Policies {
			row, err := r.measure(ctx, policy, voices)
			if err != nil {
				return nil, err
			}
			row.Optimum = new(report.Level(float64(*row.KError) - least))
			rows = append(rows, row)
		}
		rows = append(rows,
			Row{Policy: "optimum", Voices: voices, KError: new(report.Level(least)), Power: new(report.Level(optima[k].KError)), Tiles: new(r.reference.Tiles(best))},
			Row{Policy: "bound", Voices: voices, Power: new(report.Level(bounds[k]))})
	}
	for i := range rows {
		rows[i].Scene, rows[i].Seed = name, seed
	}
	return rows, nil
}

// Write writes the scenes and their sounds into a new folder, for voicepool render.
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
			sheet, _ := scene.Sheet(corpus, "sounds/")
			file := filepath.Join(to, fmt.Sprintf("%s-%d.yaml", name, seed))
			if err := os.WriteFile(file, sheet, 0o666); err != nil {
				return fmt.Errorf("%s: %w", file, words.Cause(err))
			}
		}
	}
	return nil
}
