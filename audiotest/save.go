package audiotest

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"voicepool/cue/report"
	"voicepool/internal/loudness"
	"voicepool/mixer"
	"voicepool/pcm"
)

// Package testing parses these flags with its own.
var (
	update = flag.Bool("audiotest.update", false, "rewrite the files of Golden")
	save   = flag.String("audiotest.save", "", "folder into which failed tests write mix, stems, report and timeline")
)

// fileName turns the name of a test or a sound into a file name.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, name)
}

// saveOutput saves the mix, the stems, the report and the timeline of the test in a new folder. A failure fails the
// test.
func (a *Audio) saveOutput() {
	a.t.Helper()
	dir, err := newFolder(filepath.Join(a.save, fileName(a.t.Name())))
	err = errors.Join(err, a.write(filepath.Join(dir, "mix.wav"), a.Mix()))
	stems := map[string][]mixer.Stem{}
	for _, of := range a.allStems() {
		if a.stems[of] == nil {
			continue
		}
		file := filepath.Join(dir, "stems", fileName(strings.TrimSuffix(a.displayName(of), ".wav"))+".wav")
		stems[file] = append(stems[file], of)
	}
	if len(stems) > 0 {
		err = errors.Join(err, os.Mkdir(filepath.Join(dir, "stems"), 0o777))
	}
	for file, all := range stems {
		err = errors.Join(err, a.write(file, a.sumOf(all).read(0, a.frames)))
	}
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, "timeline.txt"), []byte(a.Timeline()), 0o666), a.writeReport(filepath.Join(dir, "report.json")))
	if err != nil {
		a.t.Errorf("audiotest: the output was not saved: %v", err)
		return
	}
	a.t.Logf("audiotest: mix, stems, report and timeline are in %s; for a picture: voicepool timeline -o timeline.png %q", dir, filepath.Join(dir, "report.json"))
}

// newFolder creates a folder, and appends a number if the name is taken.
func newFolder(name string) (string, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		dir := name
		if n > 1 {
			dir = fmt.Sprintf("%s-%d", name, n)
		}
		if err := os.Mkdir(dir, 0o777); !errors.Is(err, fs.ErrExist) {
			return dir, err
		}
	}
}

// Report returns a report of the events, in the format that voicepool report and explain read.
func (a *Audio) Report() *report.Report {
	st := a.mixer.Stats()
	r := &report.Report{
		Version: 1, Rate: a.rate, Frames: a.frames, Voices: int(st.Voices), Virtual: a.config.Virtual, Overflow: a.config.Overflow.String(),
		Totals: report.TotalsOf(&st),
	}
	meter, peak := loudness.NewMeter(a.rate, []float64{1, 1}), float32(0)
	for _, f := range a.Mix() {
		peak = max(peak, f[0], -f[0], f[1], -f[1])
		meter.Write(f[:])
	}
	r.Peak, r.Loudness = report.Level(pcm.FromLinear(float64(peak))), report.Level(meter.Integrated())
	for i := range a.events {
		e := report.EventOf(&a.events[i])
		if e.Sound != "" {
			e.Sound = a.displayName(a.events[i].Stem())
		}
		if e.BySound != "" {
			e.BySound = a.thiefName(&a.events[i].Steal)
		}
		r.Events = append(r.Events, e)
	}
	return r
}

// writeReport writes the report of the events to a file.
func (a *Audio) writeReport(file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	_, err = a.Report().WriteTo(f)
	return errors.Join(err, f.Close())
}
