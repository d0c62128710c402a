package loading

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"voicepool/pcm"
	"voicepool/sounds"
)

// Variants collects work for Make: the resampled variants (mip levels) that pitched voices need, and the spectra of
// sounds. The zero value is empty. Only one goroutine may use it at a time.
type Variants struct {
	Progress func(done, total int) // as Options.Progress; may be nil

	all  []variant
	seen map[variant]bool
}

// variant is a variant of a sound: a mip level, or sounds.SpectrumLevel for its spectrum.
type variant struct {
	sound  *sounds.Sound
	level  int
	looped bool
}

// AddPitches adds the variants of sounds for pitches from least to most, in semitones. looped selects the variants for
// looping voices. It skips sounds that cannot be refined.
func (v *Variants) AddPitches(all []*sounds.Sound, looped bool, least, most float64) {
	from, to := sounds.LevelOf(pcm.Semitones(least)), sounds.LevelOf(pcm.Semitones(most))
	if least != most {
		from, to = max(from, 0), max(to, 0)
	}
	for _, sound := range all {
		for level := max(from, 0); level <= to && sound.CanRefine(); level++ {
			v.add(variant{sound, level, looped})
		}
	}
}

// AddSpectra adds the spectra of sounds that lack theirs. looped selects the spectra for looping voices.
func (v *Variants) AddSpectra(all []*sounds.Sound, looped bool) {
	for _, sound := range all {
		if !sound.Refined(sounds.SpectrumLevel, looped) {
			v.add(variant{sound, sounds.SpectrumLevel, looped})
		}
	}
}

// add adds the variant one, unless it has been added before.
func (v *Variants) add(one variant) {
	if v.seen[one] {
		return
	}
	if v.seen == nil {
		v.seen = map[variant]bool{}
	}
	v.seen[one] = true
	v.all = append(v.all, one)
}

// Compute computes all added variants and stores them in their sounds, as many in parallel as there are processors. It
// calls v.Progress, unless nil, from several goroutines, one at a time. If ctx ends, Make returns the error of ctx.
func (v *Variants) Compute(ctx context.Context) error {
	var (
		group   sync.WaitGroup
		claimed atomic.Int64
		mutex   sync.Mutex
		done    int
	)
	report := func(more int) {
		if v.Progress != nil && len(v.all) > 0 {
			mutex.Lock()
			defer mutex.Unlock()
			done += more
			v.Progress(done, len(v.all))
		}
	}
	report(0)
	for range min(len(v.all), runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for i := int(claimed.Add(1)); i <= len(v.all) && ctx.Err() == nil; i = int(claimed.Add(1)) {
				one := v.all[i-1]
				one.sound.Refine(one.level, one.looped)
				report(1)
			}
		})
	}
	group.Wait()
	return ctx.Err()
}
