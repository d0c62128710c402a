package rules

import (
	"path"
	"path/filepath"
	"time"

	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
	"voicepool/sounds/tone"
	"voicepool/space"
)

// Range is a value drawn uniformly between From and To for each start. It is constant if both are equal.
type Range struct{ From, To float64 }

// Constant returns a range that always gives x.
func Constant(x float64) Range { return Range{From: x, To: x} }

// Pick selects how a start chooses among the files of a sound.
type Pick uint8

const (
	PickRandom  Pick = iota // any file, independently
	PickShuffle             // all files in random order, then in a new order; never the same file twice in a row
	PickRound               // in order
)

// String returns the word for the pick in a file, such as "shuffle".
func (p Pick) String() string { return words.Name("pick", p, pickNames[:]) }

var pickNames = [...]string{"random", "shuffle", "round"}

// Sound is a named sound: its files and how to play them.
type Sound struct {
	Name  string
	Files []File // at least one, or none with Layers
	Pick  Pick

	Gain  Range // dB, -120..+24
	Pitch Range // semitones, -48..+48
	Speed float64
	Pan   float64
	mixer.Filters
	Sends      []mixer.Send // sends to other buses
	Priority   int
	Importance pcm.Decibels // added to its audibility when a victim is chosen; -60..+60
	Protect    bool
	Bus        string // empty: the master
	Loop       bool
	Rounds     int // number of times the loop plays; 0: endless
	LoopFrom   Time
	LoopTo     Time   // end of the loop region, replacing the loop points of the file; 0: use the file's
	Then       string // bank only: the sound that follows gaplessly; empty: no sound follows
	From       Time
	Limit      Limit
	WhenFull   mixer.WhenFull // whether it becomes a virtual voice if a full pool has no slot for it
	Cooldown   Time           // minimum time between two starts
	Coalesce   Coalesce
	Group      string   // sounds with the same group share limit, cooldown and coalesce; empty: not shared
	Stream     bool     // decoded while it plays
	CountsAs   pcm.LUFS // for a stream: its assumed loudness; 0: -20
	Leveling   library.Leveling

	Layers     []Layer // played together instead of files; nil: the sound has files
	Parameters []Parameter

	// Emitter describes how distance and direction affect the sound at a position that the game sets. Its
	// Spot is zero. Bank only.
	Emitter space.Emitter

	Quality  *sounds.Quality // nil: the file's Quality
	MaxPitch pcm.Semitones   // highest pitch to prepare for
	Listed   bool            // the sound is an entry of `sounds`
}

// Limit limits the number of voices of a sound.
type Limit struct {
	Voices   int            // 0: unlimited
	PerOwner bool           // the limit applies to each owner separately
	Full     mixer.Overflow // victim of one more start: StealQuietest, StealOldest, or Reject for no victim
}

// Coalesce merges starts of a sound that are close together into one voice.
type Coalesce struct {
	Within Time         // since the first start; 0: off
	Most   pcm.Decibels // the largest gain added to the merged voice; 0: the mixer's default
}

// File is a file of a sound.
type File struct {
	Line, Column int
	Path         string // as in the file; empty: the sound Name of Rules.Named, or a tone of package tone
	Name         string
}

// QualityOf returns the interpolation quality of s, or the quality of the rules if s has no quality of its own.
func (r *Rules) QualityOf(s *Sound) sounds.Quality {
	if s.Quality != nil {
		return *s.Quality
	}
	return r.Quality
}

// Groups creates groups in m that limit the starts of sounds, and returns the group of each of r.Sounds: nil for a
// sound without limit, cooldown and coalesce. Sounds with the same Sound.Group share one group, with the settings of
// the first of them. The error wraps mixer.ErrOption.
func (r *Rules) Groups(m *mixer.Mixer) ([]*mixer.Group, error) {
	groups := make([]*mixer.Group, len(r.Sounds))
	shared := map[string]*mixer.Group{}
	for i := range r.Sounds {
		s := &r.Sounds[i]
		if s.Limit.Voices == 0 && s.Cooldown.IsZero() && s.Coalesce.Within.IsZero() {
			continue
		}
		g := shared[s.Group]
		if g == nil {
			var err error
			if g, err = m.NewGroup(s.Name, mixer.GroupOptions{
				Voices: s.Limit.Voices, PerOwner: s.Limit.PerOwner, Full: s.Limit.Full,
				Cooldown: s.Cooldown.Duration(r.Rate), Coalesce: s.Coalesce.Within.Duration(r.Rate), Most: s.Coalesce.Most,
			}); err != nil {
				return nil, err
			}
		}
		if groups[i] = g; s.Group != "" {
			shared[s.Group] = g
		}
	}
	return groups, nil
}

// Find returns the element of r.Named called name, a sound that needs no file, and true. For an unknown name it
// returns false.
func (r *Rules) Find(name string) (library.Source, bool) {
	for i := range r.Named {
		if r.Named[i].Name == name {
			return r.Named[i], true
		}
	}
	return library.Source{}, false
}

// Source returns the source of f, a file of the sound s, for a library. loop is true if a voice will loop it; streams
// ignore that. Relative paths are relative to the folder of the rules. A name that Find does not know gives a source
// without a name and file.
func (r *Rules) Source(s *Sound, f File, loop bool) library.Source {
	src := library.Source{Looped: loop, Leveling: s.Leveling, Masking: r.Overflow == mixer.StealMasked}
	if s.Stream {
		src = library.Source{Leveling: s.Leveling}
	}
	if !s.LoopTo.IsZero() {
		src.LoopTimes = [2]time.Duration{time.Duration(s.LoopFrom.Frames(1e9)), time.Duration(s.LoopTo.Frames(1e9))}
	}
	file := filepath.FromSlash(f.Path)
	switch {
	case f.Path == "" && tone.Is(f.Name):
		src.Name, src.File, src.FS = f.Name, f.Name, tone.FS{Rate: r.Rate}
	case f.Path == "":
		named, _ := r.Find(f.Name)
		src.Name, src.File, src.FS = named.Name, named.File, named.FS
	case r.FS != nil:
		src.FS, src.File = r.FS, path.Join(path.Dir(r.File), f.Path)
	case filepath.IsAbs(file) || r.File == "-":
		src.File = file
	default:
		src.File = filepath.Join(filepath.Dir(r.File), file)
	}
	return src
}
