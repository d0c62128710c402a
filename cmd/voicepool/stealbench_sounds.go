package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"voicepool/internal/steal"
	"voicepool/sounds"
	"voicepool/voice"
)

// stealSounds are sounds of the user's of which scenes are made.
type stealSounds struct {
	Folder string         `json:"folder"`
	Kinds  map[string]int `json:"kinds"` // how many of each
	Left   []steal.Left   `json:"left_out"`
}

// recordings returns the sounds of which scenes are made; own is nil where they
// are the built-in ones.
func (b *stealbenchCommand) recordings(ctx context.Context, c *console) (corpus []steal.Recording, own *stealSounds, err error) {
	if b.Sounds == "" {
		return steal.Corpus(b.Corpus), nil, nil
	}
	files, err := soundFiles(b.Sounds)
	if err != nil {
		return nil, nil, err
	}
	own = &stealSounds{Folder: b.Sounds, Kinds: map[string]int{}, Left: []steal.Left{}}
	takes, err := b.takes(ctx, c, files, own)
	if err != nil {
		return nil, nil, err
	}
	corpus, left := steal.Deal(takes)
	own.Left = append(own.Left, left...)
	slices.SortFunc(own.Left, func(a, b steal.Left) int { return strings.Compare(a.File, b.File) })
	for _, r := range corpus {
		own.Kinds[r.Kind.String()]++
	}
	if none := steal.Lacks(corpus); none != nil {
		return nil, nil, fmt.Errorf("--sounds %s: of %s to be used none is of the kind %v: name one %v-1.wav, or put it into a folder %v",
			oneLine(b.Sounds), count(len(corpus), "sound"), none[0], none[0], none[0])
	}
	return corpus, own, nil
}

// soundFiles returns the files of a folder, and of the folders in it, that are called
// like sounds, by their paths in it.
func soundFiles(folder string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !soundName(file) {
			return err
		}
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() { // a link may lead anywhere
			return err
		}
		name, err := filepath.Rel(folder, file)
		files = append(files, name)
		return err
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("--sounds %s: %w", oneLine(folder), cause(err))
	case len(files) == 0:
		return nil, fmt.Errorf("--sounds %s: there is no sound in it", oneLine(folder))
	}
	return files, nil
}

// takes reads files; what cannot be read is left out.
func (b *stealbenchCommand) takes(ctx context.Context, c *console, files []string, own *stealSounds) ([]steal.Take, error) {
	bank := sounds.NewBank(sounds.Options{Rate: steal.Rate, Limits: b.limits()})
	sources := make([]sounds.Source, len(files))
	for i, file := range files {
		sources[i].File = filepath.Join(b.Sounds, file)
	}
	tell := c.loading(b.Quiet)
	var takes []steal.Take
	done := 0
	bank.LoadEach(ctx, sources, func(i int, s *voice.Sound, err error) bool {
		if done++; tell != nil {
			tell(done, len(files))
		}
		name := filepath.ToSlash(files[i])
		if err != nil {
			own.Left = append(own.Left, steal.Left{File: name, Reason: strings.TrimPrefix(message(err), oneLine(sources[i].File)+": ")})
		} else {
			takes = append(takes, steal.Take{File: name, Samples: mono(s)})
		}
		return ctx.Err() == nil
	})
	return takes, context.Cause(ctx)
}

// mono returns the mean of the channels of a sound.
func mono(s *voice.Sound) []float32 {
	samples := s.Samples()
	if s.Channels() == 1 {
		return samples
	}
	middle := make([]float32, len(samples)/2)
	for i := range middle {
		middle[i] = float32((samples[2*i] + samples[2*i+1]) / 2)
	}
	return middle
}

// print tells of which sounds the scenes are made, and which are not used.
func (s *stealSounds) print(w io.Writer) {
	sum := 0
	var kinds []string
	for k := range steal.Kind(len(s.Kinds)) {
		n := s.Kinds[k.String()]
		sum += n
		kinds = append(kinds, fmt.Sprintf("%d %v", n, k))
	}
	fmt.Fprintf(w, "%s of %s: %s\n", count(sum, "sound"), oneLine(s.Folder), strings.Join(kinds, ", "))
	for _, l := range s.Left {
		fmt.Fprintf(w, "left out: %s: %s\n", oneLine(l.File), l.Reason)
	}
	fmt.Fprintln(w)
}
