package rules

import (
	"path"
	"path/filepath"
	"time"

	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/tone"
	"voicepool/space"
	"voicepool/voice"
)

// Range is a value that is drawn anew for each start, evenly from From to To;
// both are equal where there is nothing to draw.
type Range struct{ From, To float64 }

// At returns the range that is one value.
func At(x float64) Range { return Range{From: x, To: x} }

// Pick is how a start chooses among the files of a sound.
type Pick uint8

const (
	PickRandom  Pick = iota // any, each time
	PickShuffle             // all in some order, then all in another; never one twice in a row
	PickRound               // one after the other
)

func (p Pick) String() string { return words.Name("pick", p, pickNames[:]) }

var pickNames = [...]string{"random", "shuffle", "round"}

// Sound is something to play: one or more files, and how they are played.
type Sound struct {
	Name  string
	Files []File // at least one, or none with Layers
	Pick  Pick

	Gain     Range // dB, -120..+24
	Pitch    Range // semitones, -48..+48
	Speed    float64
	Pan      float64
	LowPass  float64 // the cutoff in Hz; 0: off
	HighPass float64
	Sends    []mixer.Send // parts of it for other buses
	Priority int
	Protect  bool
	Bus      string // empty: the master
	Loop     bool
	Rounds   int // how often it plays its loop; 0: without end
	LoopFrom Time
	LoopTo   Time   // the part that repeats, instead of the loop points of the file; 0: they count
	Then     string // the sound of a bank that follows where this one ends; empty: none
	From     Time
	Limit    Limit
	WhenFull mixer.WhenFull // whether it goes on unheard where a full pool has no slot for it
	Cooldown Time           // the least time between two starts
	Coalesce Coalesce
	Group    string   // whose limit, cooldown and coalesce it shares with others of the same; empty: with none
	Stream   bool     // it is decoded as it plays
	CountsAs pcm.LUFS // of a stream: the loudness that it is taken to have; 0: -20
	Leveling sounds.Leveling

	Layers     []Layer // played together in the place of files; nil: none
	Parameters []Parameter

	// Emitter is how distance and direction act on the sound where a game gives it a place,
	// which is not here: its Spot is zero. Only a bank has it.
	Emitter space.Emitter

	Quality  *voice.Quality // nil: that of the file
	MaxPitch pcm.Semitones  // it is ready for pitches up to this one, whatever is asked for
	Listed   bool           // it stands in `sounds`
}

// Limit is how many voices of a sound there may be.
type Limit struct {
	Voices   int            // 0: any number
	PerOwner bool           // so many of each owner
	Full     mixer.Overflow // whom one more start takes: StealQuietest, StealOldest, or Reject: nobody
}

// Coalesce makes one voice of the starts of a sound that lie close together.
type Coalesce struct {
	Within Time         // from the first of them; 0: each is a voice
	Most   pcm.Decibels // how much louder than one; 0: the mixer's default
}

// File is what a sound is read from.
type File struct {
	Line, Column int
	Path         string // as the file has it; empty: the sound Name of Rules.Named, or one that package tone makes
	Name         string
}

// QualityOf returns how pitched voices of a sound are read.
func (r *Rules) QualityOf(s *Sound) voice.Quality {
	if s.Quality != nil {
		return *s.Quality
	}
	return r.Quality
}

// Groups makes the groups of a mixer that limit the starts of each sound; nil: nothing does.
// Sounds of one group share theirs.
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

// Find returns the sound that a name means without a file, and whether there is one.
func (r *Rules) Find(name string) (sounds.Source, bool) {
	for i := range r.Named {
		if r.Named[i].Name == name {
			return r.Named[i], true
		}
	}
	return sounds.Source{}, false
}

// Source returns how a file of a sound is loaded, to be looped or not, and where it is:
// relative to the folder of the rules.
func (r *Rules) Source(s *Sound, f File, loop bool) sounds.Source {
	src := sounds.Source{Looped: loop, Leveling: s.Leveling, Masking: r.Overflow == mixer.StealMasked}
	if s.Stream {
		src = sounds.Source{Leveling: s.Leveling}
	}
	if !s.LoopTo.IsZero() {
		src.LoopTimes = [2]time.Duration{time.Duration(s.LoopFrom.Frames(1e9)), time.Duration(s.LoopTo.Frames(1e9))}
	}
	file := filepath.FromSlash(f.Path)
	switch {
	case f.Path == "" && tone.Is(f.Name):
		src.Name, src.File, src.FS = f.Name, f.Name, tone.FS{Rate: r.Rate}
	case f.Path == "":
		at, _ := r.Find(f.Name)
		src.Name, src.File, src.FS = at.Name, at.File, at.FS
	case r.FS != nil:
		src.FS, src.File = r.FS, path.Join(path.Dir(r.File), f.Path)
	case filepath.IsAbs(file) || r.File == "-":
		src.File = file
	default:
		src.File = filepath.Join(filepath.Dir(r.File), file)
	}
	return src
}
