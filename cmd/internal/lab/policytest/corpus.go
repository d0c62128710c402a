package policytest

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"voicepool/cmd/internal/lab/steal"
	"voicepool/cue/play"
	"voicepool/internal/words"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// Corpus describes the user's sounds that scenes are built from.
type Corpus struct {
	Folder string         `json:"folder"`
	Kinds  map[string]int `json:"kinds"` // number of sounds by kind
	Unused []steal.Unused `json:"left_out"`
}

// Recordings loads sound files and assigns each to a kind of sound that the built-in test scenes need, such as gun or
// step. The parameter files holds paths relative to folder. The results are mono recordings at 48 kHz, and a Corpus
// with the number of recordings of each kind. A file that cannot be used does not cause an error: the Corpus lists it
// with the reason. A kind without any recording is an error. If ctx ends, the error is its cause. Recordings calls
// loading at the start and after each file, with the number of finished files and the number of all files; loading may
// be nil.
func Recordings(ctx context.Context, folder string, files []string, limits library.Limits, loading play.Progress) ([]steal.Recording, *Corpus, error) {
	own := &Corpus{Folder: folder, Kinds: map[string]int{}, Unused: []steal.Unused{}}
	lib := library.NewLibrary(library.Options{Rate: steal.Rate, Limits: limits})
	sources := make([]library.Source, len(files))
	for i, file := range files {
		sources[i].File = filepath.Join(folder, file)
	}
	var candidates []steal.Source
	done := 0
	if loading != nil {
		loading(0, len(files))
	}
	lib.LoadEach(ctx, sources, func(i int, sound *sounds.Sound, err error) bool {
		if done++; loading != nil {
			loading(done, len(files))
		}
		name := filepath.ToSlash(files[i])
		if err != nil {
			own.Unused = append(own.Unused, steal.Unused{File: name, Reason: strings.TrimPrefix(words.Plain(err), words.OneLine(sources[i].File)+": ")})
		} else {
			candidates = append(candidates, steal.Source{File: name, Samples: mono(sound)})
		}
		return ctx.Err() == nil
	})
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	corpus, unused := steal.AssignKinds(candidates)
	own.Unused = append(own.Unused, unused...)
	slices.SortFunc(own.Unused, func(a, b steal.Unused) int { return strings.Compare(a.File, b.File) })
	for _, r := range corpus {
		own.Kinds[r.Kind.String()]++
	}
	if none := steal.Lacks(corpus); none != nil {
		return nil, nil, fmt.Errorf("--sounds %s: %s can be used, but no sound of the kind %v: name one %v-1.wav, or put it into a folder %v",
			words.OneLine(folder), words.Count(len(corpus), "sound"), none[0], none[0], none[0])
	}
	return corpus, own, nil
}

// mono returns one sample for each frame of s: for a stereo sound the mean of left and right. For a mono sound the
// result is the memory of s, so the caller must not change it.
func mono(s *sounds.Sound) []float32 {
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

// Print writes a summary of the corpus to w. The first line has the number of sounds of each kind. A line for each
// unused file follows, with the reason, and then an empty line. A nil Corpus prints no text. s.Kinds must have all
// kinds, as after Recordings, because kinds are counted by the size of that map. Errors of w are ignored.
func (s *Corpus) Print(w io.Writer) {
	if s == nil {
		return
	}
	sum := 0
	var kinds []string
	for k := range steal.Kind(len(s.Kinds)) {
		n := s.Kinds[k.String()]
		sum += n
		kinds = append(kinds, fmt.Sprintf("%d %v", n, k))
	}
	fmt.Fprintf(w, "%s of %s: %s\n", words.Count(sum, "sound"), words.OneLine(s.Folder), strings.Join(kinds, ", "))
	for _, l := range s.Unused {
		fmt.Fprintf(w, "left out: %s: %s\n", words.OneLine(l.File), l.Reason)
	}
	fmt.Fprintln(w)
}
