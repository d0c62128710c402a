package main

import (
	"context"
	"errors"
	"fmt"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"voicepool/cmd/internal/console"
	"voicepool/cmd/internal/output"
	"voicepool/cue/report"
	"voicepool/internal/words"
	"voicepool/sounds"
	"voicepool/sounds/embedded"
)

type soundsCommand struct {
	Paths []string `arg:"" optional:"" name:"path" help:"Files, folders, names of embedded sounds, or - for standard input. Default: the embedded sounds."`
	JSON  bool     `name:"json" help:"Print JSON."`
	PNG   string   `name:"png" placeholder:"FILE" help:"Draw waveforms and loudness to a PNG file."`
	levelFlags
	isolateFlag
}

// maxPanels bounds the height of a picture.
const maxPanels = 200

// soundRow is what is told about one sound, or why there is nothing to tell.
type soundRow struct {
	info sounds.Info
	err  error

	levels  []report.Level // the envelope
	picture *portrait      // with --png
}

func (s *soundsCommand) Run(c *console.Console) error {
	if err := s.check(); err != nil {
		return err
	}
	list, err := s.sources()
	if err != nil {
		return err
	}
	switch {
	case s.PNG == "-":
		return console.Usage("--png: standard output is for the table; name a file")
	case otherPicture(s.PNG):
		return console.Usage("--png: %s is no .png file", oneLine(s.PNG))
	case s.PNG != "" && len(list) > maxPanels:
		return console.Usage("--png: a picture shows at most %d sounds, these are %d", maxPanels, len(list))
	}
	var inputs []output.Input
	for _, n := range list {
		if n.file != "" {
			inputs = append(inputs, output.Input{Path: n.file, What: "the sound " + oneLine(n.file)})
		}
	}
	if err := output.Of("--png", " ", s.PNG).Keep(inputs); err != nil {
		return err
	}
	file, err := output.Create(s.PNG)
	if err != nil {
		return err
	}
	defer file.Discard()
	rows := s.list(list, c)
	if s.JSON {
		printSoundsJSON(c, list, rows)
	} else {
		printSounds(c, rows)
	}
	failed := []error{file.Save(func(w io.Writer) error {
		return png.Encode(w, paint(slices.DeleteFunc(slices.Clone(rows), func(r soundRow) bool { return r.err != nil })))
	})}
	for _, r := range rows {
		failed = append(failed, r.err)
	}
	return c.Outcome(failed...)
}

// sources returns what the arguments name. In a folder that is every file with
// the name or the content of a sound.
func (s *soundsCommand) sources() ([]namedSound, error) {
	var list []namedSound
	if len(s.Paths) == 0 {
		for _, name := range embedded.Names() {
			list = append(list, namedSound{name: name})
		}
	}
	for _, path := range s.Paths {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() {
			list = append(list, resolve(path))
			continue
		}
		err = filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.Type().IsRegular() {
				list = append(list, namedSound{name: file, file: file, guess: !soundName(file)})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// otherPicture reports whether a name promises a picture that is no PNG.
func otherPicture(file string) bool {
	return slices.Contains([]string{".jpg", ".jpeg", ".gif", ".svg", ".webp", ".bmp", ".tif", ".tiff", ".avif"}, strings.ToLower(filepath.Ext(file)))
}

// soundName reports whether a file is called like a sound, of a format that can be
// read or not.
func soundName(file string) bool {
	return slices.Contains([]string{".wav", ".wave", ".flac", ".ogg", ".oga", ".mp3", ".opus", ".m4a", ".aac", ".aif", ".aiff", ".wma"}, strings.ToLower(filepath.Ext(file)))
}

// list loads them, as many at a time as there are processors, each into a
// bank of its own: a folder may hold more than fits into memory.
func (s *soundsCommand) list(list []namedSound, c *console.Console) []soundRow {
	rows := make([]soundRow, len(list))
	next, done := make(chan int), make(chan struct{})
	var wait sync.WaitGroup
	for range min(len(list), runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for i := range next {
				rows[i] = s.lookAt(list[i], c)
				done <- struct{}{}
			}
		})
	}
	go func() {
		defer close(done)
		for i := range list {
			next <- i
		}
		close(next)
		wait.Wait()
	}()
	show := c.Loading(false)
	n := 0
	for range done {
		if n++; show != nil {
			show(n, len(list))
		}
	}
	return slices.DeleteFunc(rows, func(r soundRow) bool { return r.err == nil && r.levels == nil })
}

// lookAt loads one sound. A guess that is none gives the zero row.
func (s *soundsCommand) lookAt(n namedSound, c *console.Console) soundRow {
	bank := sounds.NewBank(sounds.Options{Measure: true, Leveling: s.leveling(), Limits: s.limits()})
	source, err := n.source(c.In)
	if err != nil {
		return soundRow{info: sounds.Info{Name: n.name}, err: err}
	}
	loaded, err := bank.Load(context.Background(), source)
	switch {
	case err != nil && n.guess && errors.Is(err, sounds.ErrFormat):
		return soundRow{}
	case err != nil:
		return soundRow{info: sounds.Info{Name: n.name}, err: err}
	}
	info, _ := bank.Info(loaded[0])
	if n.name == "-" {
		info.File = n.name
	}
	row := soundRow{info: info, levels: soundLevels(loaded[0], 16)}
	if s.PNG != "" {
		row.picture = portray(loaded[0], loopOf(info) != "-")
	}
	return row
}

// loopOf tells the loop of a sound in a few characters.
func loopOf(i sounds.Info) string {
	switch {
	case i.Loop != nil:
		return fmt.Sprintf("%d..%d", i.Loop[0], i.Loop[1])
	case i.File == "" && embedded.IsLoop(i.Name):
		return "whole"
	}
	return "-"
}

// titleOf is the line above a picture of a sound.
func titleOf(r soundRow) string {
	i := r.info
	return fmt.Sprintf("%s  %s  %d ch  %d Hz  %s  peak %s dB  %s LUFS  %s",
		i.Name, strings.TrimSpace(i.Format+" "+i.Encoding), i.Channels, i.Rate, formatSeconds(i.Seconds),
		words.Level(float64(i.TruePeak)), words.Level(float64(i.Loudness)), formatBytes(i.Bytes))
}

// printSounds prints a table, unless there is nothing to be put into it.
func printSounds(c *console.Console, rows []soundRow) error {
	if len(rows) > 0 && !slices.ContainsFunc(rows, func(r soundRow) bool { return r.err == nil }) {
		return nil
	}
	gains := slices.ContainsFunc(rows, func(r soundRow) bool { return r.info.Gain != 0 || r.info.TagGain != nil })
	table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	head := "LUFS"
	if gains {
		head = "LUFS\ttag dB\tgain dB"
	}
	fmt.Fprintf(table, "name\tformat\tch\trate\tlength\tpeak dB\t%s\tloop\tmemory\tenvelope\n", head)
	for _, r := range rows {
		if r.err != nil {
			continue
		}
		i := r.info
		level := words.Level(float64(i.Loudness))
		if gains {
			tag := "-"
			if i.TagGain != nil {
				tag = fmt.Sprintf("%+.1f", *i.TagGain)
			}
			level += fmt.Sprintf("\t%s\t%+.1f", tag, i.Gain)
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n",
			oneLine(i.Name), strings.TrimSpace(i.Format+" "+i.Encoding), i.Channels, i.Rate, formatSeconds(i.Seconds),
			words.Level(float64(i.TruePeak)), level, loopOf(i), formatBytes(i.Bytes), drawLevels(r.levels))
	}
	return table.Flush()
}

// soundEntry is a sound in JSON.
type soundEntry struct {
	Name     string         `json:"name"`
	File     *string        `json:"file"`
	Format   string         `json:"format"`
	Encoding string         `json:"encoding,omitempty"`
	Channels int            `json:"channels"`
	Rate     int            `json:"rate"`
	Frames   int64          `json:"frames"`
	Seconds  float64        `json:"seconds"`
	LUFS     report.Level   `json:"lufs"`
	TruePeak report.Level   `json:"true_peak_db"`
	TagGain  *report.Level  `json:"tag_gain_db"` // null: it has no tag
	Gain     report.Level   `json:"gain_db"`
	Loop     *[2]int64      `json:"loop"`
	Bytes    int64          `json:"bytes"`
	Envelope []report.Level `json:"envelope_db"` // of 16 parts, from start to end
}

// brokenEntry is one that could not be loaded.
type brokenEntry struct {
	Name  string `json:"name"`
	Error string `json:"error"`
}

func printSoundsJSON(c *console.Console, list []namedSound, rows []soundRow) error {
	entries := make([]any, 0, len(list))
	for _, r := range rows {
		i := r.info
		if r.err != nil {
			entries = append(entries, brokenEntry{i.Name, console.Message(r.err)})
			continue
		}
		e := soundEntry{
			Name: i.Name, Format: i.Format, Encoding: i.Encoding, Channels: i.Channels, Rate: i.Rate, Frames: i.Frames, Seconds: i.Seconds,
			LUFS: report.Level(i.Loudness), TruePeak: report.Level(i.TruePeak), TagGain: (*report.Level)(i.TagGain), Gain: report.Level(i.Gain), Loop: i.Loop, Bytes: i.Bytes, Envelope: r.levels,
		}
		if i.File != "" {
			e.File = &i.File
		} else if i.Loop == nil && embedded.IsLoop(i.Name) {
			e.Loop = &[2]int64{0, i.Frames}
		}
		entries = append(entries, e)
	}
	return c.JSON(struct {
		Sounds []any `json:"sounds"`
	}{entries})
}

// formatSeconds prints a length so that short sounds keep their digits.
func formatSeconds(s float64) string {
	if s >= 60 {
		return time.Duration(s * float64(time.Second)).Round(time.Second).String()
	}
	return fmt.Sprintf("%.3fs", s)
}

func formatBytes(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%d KiB", (n+1<<9)>>10)
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
