package loading

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"voicepool/pcm"
	"voicepool/voice"
)

// Versions collects work for Make: the resampled variants (mip levels) that pitched voices need, and the spectra of
// sounds. The zero value is empty. Only one goroutine may use it at a time.
type Versions struct {
	Progress func(done, total int) // see cue.Loading; may be nil

	all  []version
	seen map[version]bool
}

// version is a variant of a sound: a mip level, or voice.SpectrumLevel for its spectrum.
type version struct {
	sound  *voice.Sound
	level  int
	looped bool
}

// Need adds the variants of sounds for pitches from least to most, in semitones. looped selects the variants for
// looping voices. It skips sounds that cannot be refined.
func (v *Versions) Need(sounds []*voice.Sound, looped bool, least, most float64) {
	from, to := voice.LevelOf(pcm.Semitones(least)), voice.LevelOf(pcm.Semitones(most))
	if least != most {
		from, to = max(from, 0), max(to, 0)
	}
	for _, sound := range sounds {
		for level := max(from, 0); level <= to && sound.CanRefine(); level++ {
			v.add(version{sound, level, looped})
		}
	}
}

// Measure adds the spectra of sounds that lack theirs. looped selects the spectra for looping voices.
func (v *Versions) Measure(sounds []*voice.Sound, looped bool) {
	for _, sound := range sounds {
		if !sound.Refined(voice.SpectrumLevel, looped) {
			v.add(version{sound, voice.SpectrumLevel, looped})
		}
	}
}

// add adds the variant one, unless it has been added before.
func (v *Versions) add(one version) {
	if v.seen[one] {
		return
	}
	if v.seen == nil {
		v.seen = map[version]bool{}
	}
	v.seen[one] = true
	v.all = append(v.all, one)
}

// Make computes all added variants and stores them in their sounds, as many in parallel as there are processors. It
// calls v.Progress, unless nil, from several goroutines, one at a time. If ctx ends, Make returns the error of ctx.
func (v *Versions) Make(ctx context.Context) error {
	var (
		wait  sync.WaitGroup
		taken atomic.Int64
		mutex sync.Mutex
		done  int
	)
	tell := func(more int) {
		if v.Progress != nil && len(v.all) > 0 {
			mutex.Lock()
			defer mutex.Unlock()
			done += more
			v.Progress(done, len(v.all))
		}
	}
	tell(0)
	for range min(len(v.all), runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for i := int(taken.Add(1)); i <= len(v.all) && ctx.Err() == nil; i = int(taken.Add(1)) {
				one := v.all[i-1]
				one.sound.Refine(one.level, one.looped)
				tell(1)
			}
		})
	}
	wait.Wait()
	return ctx.Err()
}
