package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"voicepool/cmd/internal/cli/catalog"
	"voicepool/internal/dsp"
	"voicepool/internal/sheet/loading"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// The cases of Options.Load: the elapsed time, and with the suffix the total processor time.
const (
	loadCase       = "load"
	loadPitched    = "load-pitched"
	processorShare = "-cpu"
)

var loadCases = []string{loadCase, loadCase + processorShare, loadPitched, loadPitched + processorShare}

// loadPitch is the pitch range of loadPitched in semitones, up and down.
const loadPitch = 12

// load measures how long the sounds of the folder o.Load take to load: first plain, then also prepared for pitches up
// to an octave up and down. Each of these cases has a row for the elapsed time. It has another row for the processor
// time, if the system reports it. The figures are in seconds. If o.Load is empty or o selects no such case, load
// returns no rows. It calls next before each case.
func (o *Options) load(next Progress) ([]Row, error) {
	if o.Load == "" || !slices.ContainsFunc(loadCases, o.selects) {
		return nil, nil
	}
	files, err := catalog.InFolder(o.Load)
	if err != nil {
		return nil, fmt.Errorf("--load %s: %w", o.Load, err)
	}
	sources := make([]library.Source, len(files))
	for i, name := range files {
		sources[i].File = filepath.Join(o.Load, name)
	}
	var rows []Row
	for _, c := range []string{loadCase, loadPitched} {
		if !o.selects(c) && !o.selects(c+processorShare) {
			continue
		}
		next("loading %d sounds, %s", len(files), map[string]string{loadCase: "plain", loadPitched: "pitched"}[c])
		var elapsed, processor []float64
		known := true
		for range Runs {
			runtime.GC()
			before, counts := processorTime()
			start := time.Now()
			if err := loadAll(sources, c == loadPitched); err != nil {
				return nil, fmt.Errorf("--load: %s", strings.TrimPrefix(err.Error(), "sounds: "))
			}
			elapsed = append(elapsed, time.Since(start).Seconds())
			after, _ := processorTime()
			processor, known = append(processor, (after-before).Seconds()), counts
		}
		for _, r := range []struct {
			name string
			runs []float64
			is   bool
		}{{c, elapsed, true}, {c + processorShare, processor, known}} {
			if r.is && o.selects(r.name) {
				rows = append(rows, Row{Case: r.name, Voices: len(files), Seconds: new(Median(r.runs)), Kernel: dsp.Kernel(), Samples: r.runs})
			}
		}
	}
	return rows, nil
}

// loadAll loads the sounds of sources with a new library at 48 kHz and discards them. If pitched is true, it also
// prepares them for pitches up to an octave up and down. It returns the first error.
func loadAll(sources []library.Source, pitched bool) error {
	ctx := context.Background()
	all, err := library.NewLibrary(library.Options{Rate: Rate}).Load(ctx, sources...)
	if err != nil || !pitched {
		return err
	}
	var versions loading.Variants
	versions.AddPitches(slices.DeleteFunc(all, func(s *sounds.Sound) bool { return s.Frames() == 0 }), false, -loadPitch, loadPitch)
	return versions.Compute(ctx)
}
