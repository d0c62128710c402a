package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"voicepool/sounds"
	"voicepool/sounds/embedded"
)

type soundsCommand struct {
	Paths []string `arg:"" optional:"" name:"path" help:"Files, folders, names of embedded sounds, or - for standard input. Without one: the embedded sounds."`
	JSON  bool     `name:"json" help:"Print JSON."`
}

// soundRow is what is told about one sound, or why there is nothing to tell.
type soundRow struct {
	info sounds.Info
	draw string // the envelope
	err  error
}

func (s *soundsCommand) Run(c *console) error {
	list, err := s.sources()
	if err != nil {
		return err
	}
	rows := listSounds(list, c)
	if s.JSON {
		err = printSoundsJSON(c, list, rows)
	} else {
		err = printSounds(c, rows)
	}
	for _, r := range rows {
		if r.err != nil {
			c.say("%s", message(r.err))
			err = silentFailure{exitFailed}
		}
	}
	return err
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

// soundName reports whether a file is called like a sound.
func soundName(file string) bool {
	return slices.Contains([]string{".wav", ".wave", ".flac", ".ogg", ".oga", ".mp3"}, strings.ToLower(filepath.Ext(file)))
}

// listSounds loads them, as many at a time as there are processors, each into a
// bank of its own: a folder may hold more than fits into memory.
func listSounds(list []namedSound, c *console) []soundRow {
	rows := make([]soundRow, len(list))
	next := make(chan int)
	var wait sync.WaitGroup
	for range min(len(list), runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for i := range next {
				rows[i] = lookAt(list[i], c)
			}
		})
	}
	for i, s := range list {
		c.progress("%s", s.name)
		next <- i
	}
	close(next)
	wait.Wait()
	c.progress("")
	return slices.DeleteFunc(rows, func(r soundRow) bool { return r == soundRow{} })
}

// lookAt loads one sound. A guess that is none gives the zero row.
func lookAt(s namedSound, c *console) soundRow {
	bank := sounds.NewBank(sounds.Options{Measure: true})
	source, err := s.source(c.in)
	if err != nil {
		return soundRow{info: sounds.Info{Name: s.name}, err: err}
	}
	loaded, err := bank.Load(context.Background(), source)
	switch {
	case err != nil && s.guess && errors.Is(err, sounds.ErrFormat):
		return soundRow{}
	case err != nil:
		return soundRow{info: sounds.Info{Name: s.name}, err: err}
	}
	info, _ := bank.Info(loaded[0])
	if s.name == "-" {
		info.File = s.name
	}
	return soundRow{info: info, draw: drawSound(loaded[0], 16)}
}

func printSounds(c *console, rows []soundRow) error {
	table := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "name\tformat\tch\trate\tlength\tpeak dB\tLUFS\tloop\tmemory\tenvelope")
	for _, r := range rows {
		if r.err != nil {
			continue
		}
		i := r.info
		loop := "-"
		if i.Loop != nil {
			loop = fmt.Sprintf("%d..%d", i.Loop[0], i.Loop[1])
		} else if i.File == "" && embedded.IsLoop(i.Name) {
			loop = "whole"
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n",
			oneLine(i.Name), strings.TrimSpace(i.Format+" "+i.Encoding), i.Channels, i.Rate, formatSeconds(i.Seconds),
			formatLevel(float64(i.TruePeak)), formatLevel(float64(i.Loudness)), loop, formatBytes(i.Bytes), r.draw)
	}
	return table.Flush()
}

// soundEntry is a sound in JSON.
type soundEntry struct {
	Name     string    `json:"name"`
	File     *string   `json:"file"`
	Format   string    `json:"format"`
	Encoding string    `json:"encoding,omitempty"`
	Channels int       `json:"channels"`
	Rate     int       `json:"rate"`
	Frames   int64     `json:"frames"`
	Seconds  float64   `json:"seconds"`
	LUFS     level     `json:"lufs"`
	TruePeak level     `json:"true_peak_db"`
	Loop     *[2]int64 `json:"loop"`
	Bytes    int64     `json:"bytes"`
}

// brokenEntry is one that could not be loaded.
type brokenEntry struct {
	Name  string `json:"name"`
	Error string `json:"error"`
}

func printSoundsJSON(c *console, list []namedSound, rows []soundRow) error {
	entries := make([]any, 0, len(list))
	for _, r := range rows {
		i := r.info
		if r.err != nil {
			entries = append(entries, brokenEntry{i.Name, message(r.err)})
			continue
		}
		e := soundEntry{
			Name: i.Name, Format: i.Format, Encoding: i.Encoding, Channels: i.Channels, Rate: i.Rate, Frames: i.Frames, Seconds: i.Seconds,
			LUFS: level(i.Loudness), TruePeak: level(i.TruePeak), Loop: i.Loop, Bytes: i.Bytes,
		}
		if i.File != "" {
			e.File = &i.File
		} else if i.Loop == nil && embedded.IsLoop(i.Name) {
			e.Loop = &[2]int64{0, i.Frames}
		}
		entries = append(entries, e)
	}
	return printJSON(c.out, struct {
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

func formatLevel(db float64) string {
	if math.IsInf(db, -1) {
		return "-inf"
	}
	return fmt.Sprintf("%.1f", db)
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
