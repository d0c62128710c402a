package main

import (
	"context"
	"time"

	"voicepool/cmd/internal/live"
	"voicepool/cue"
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
	file   *reportFile
	levels *levels
}

// events reports whether the report has to list what happens.
func (f *sheetFlags) events() bool { return f.Report != "" || f.JSON || f.Timeline != "" }

// written adds the files that these flags name to what is written.
func (f *sheetFlags) written(list []output) []output {
	return fileOutput(fileOutput(list, "--report", " ", f.Report), "--timeline", " ", f.Timeline)
}

// openTimeline opens the file of --timeline.
func (f *sheetFlags) openTimeline(ctx context.Context, rate int, every time.Duration) (*drawing, error) {
	if f.Timeline == "" {
		return nil, nil
	}
	file, err := within(ctx, func() (*reportFile, error) { return createReport(f.Timeline) })
	if err != nil {
		return nil, err
	}
	return &drawing{f.Timeline, file, newLevels(rate, every)}, nil
}

// block is how many frames may be mixed between two looks.
func (d *drawing) block(frames int) int {
	if d == nil {
		return frames
	}
	return int(min(int64(frames), d.levels.step))
}

// look records what Read has just mixed: so many frames in all.
func (d *drawing) look(p *cue.Player, frames int64) {
	if d != nil {
		left, right := p.Levels()
		d.levels.hear(frames, max(left, right))
		d.levels.look(p.Mixer())
	}
}

// see records what a view shows.
func (d *drawing) see(p *cue.Player, now live.Picture) {
	if d != nil {
		d.levels.hear(now.Stats.Frame, max(now.Left, now.Right))
		d.levels.look(p.Mixer())
	}
}

// fill draws what was played.
func (d *drawing) fill(title string, r *cue.Report) error {
	if d == nil {
		return nil
	}
	drawn, err := timelineOf(title, r, d.levels)
	if err != nil {
		return err
	}
	return drawn.fill(d.file, d.path)
}

func (d *drawing) commit() error {
	if d == nil {
		return nil
	}
	return d.file.commit()
}

func (d *drawing) discard() {
	if d != nil {
		d.file.discard()
	}
}
