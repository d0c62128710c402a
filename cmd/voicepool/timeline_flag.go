package main

import (
	"context"
	"time"

	"voicepool/cmd/internal/live"
	"voicepool/cmd/internal/output"
	"voicepool/cmd/internal/timeline"
	"voicepool/cue"
	"voicepool/cue/report"
)

// How often levels are looked at: on the grid on which the mixer refreshes them,
// or, while a device plays, as often as the view does.
const (
	renderedEvery = 20 * time.Millisecond
	liveEvery     = 50 * time.Millisecond
)

// drawing is the file of --timeline and what is recorded for it; nil: there is
// none.
type drawing struct {
	path   string
	file   *output.File
	levels *timeline.Levels
}

// events reports whether the report has to list what happens.
func (f *sheetFlags) events() bool { return f.Report != "" || f.JSON || f.Timeline != "" }

// written adds the files that these flags name to what is written.
func (f *sheetFlags) written(list output.List) output.List {
	return list.And("--report", " ", f.Report).And("--timeline", " ", f.Timeline)
}

// openTimeline opens the file of --timeline.
func (f *sheetFlags) openTimeline(ctx context.Context, rate int, every time.Duration) (*drawing, error) {
	if f.Timeline == "" {
		return nil, nil
	}
	file, err := output.Open(ctx, f.Timeline)
	if err != nil {
		return nil, err
	}
	return &drawing{f.Timeline, file, timeline.NewLevels(rate, every)}, nil
}

// block is how many frames may be mixed between two looks.
func (d *drawing) block(frames int) int {
	if d == nil {
		return frames
	}
	return int(min(int64(frames), d.levels.Step()))
}

// look records what Read has just mixed: so many frames in all.
func (d *drawing) look(p *cue.Player, frames int64) {
	if d != nil {
		left, right := p.Levels()
		d.levels.Hear(frames, max(left, right))
		d.levels.Look(p.Mixer())
	}
}

// see records what a view shows.
func (d *drawing) see(p *cue.Player, now live.Picture) {
	if d != nil {
		d.levels.Hear(now.Stats.Frame, max(now.Left, now.Right))
		d.levels.Look(p.Mixer())
	}
}

// save draws what was played.
func (d *drawing) save(title string, r *report.Report) error {
	if d == nil {
		return nil
	}
	drawn, err := timeline.Of(title, r, d.levels)
	if err != nil {
		return err
	}
	return saveTimeline(d.file, d.path, drawn)
}

func (d *drawing) Discard() {
	if d != nil {
		d.file.Discard()
	}
}
