package archtest

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing/fstest"
	"time"

	"voicepool/bank"
	"voicepool/effect"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
	"voicepool/space"
)

const bankText = `
rate: %d
buses: {hall: {effects: [eq]}, group: {}, plain: {sends: {hall: -6}, effects: [eq]}}
sounds:
  engine: {file: a.wav, bus: plain, loop: true, sends: {hall: -6}, parameters: {rpm: {from: 0, to: 1, gain: [[0, -6], [1, 0]]}}}
  both: {layers: [engine, {sound: engine, delay: 1ms}], parameters: {rpm: {from: 0, to: 1, gain: [[0, -6], [1, 0]]}}}
  extra: {file: a.wav}
groups: {level: [extra]}
music: {theme: {tempo: 120, bus: plain, segments: {main: {file: a.wav, loop: true}}}}
scenes: {menu: {buses: {plain: {gain: -9}}}}
`

// rig is a mixer with everything that calls need.
type rig struct {
	config mixer.Config
	mixer  *mixer.Mixer
	bank   *bank.Bank
	sound  *sounds.Sound
	stream *sounds.Sound
	block  []pcm.Frame
	turn   int // selects the receiver of the next call
	target int // selects its target

	// created for each call
	voice, streamed mixer.Handle
	play            bank.Handle
	bus             mixer.Bus
	batch           *mixer.Batch
	countdown       *mixer.Countdown
}

// endless is a stream of silence.
type endless struct{}

func (endless) Read(dst []pcm.Frame) (int, error) {
	clear(dst)
	return len(dst), nil
}

// newSounds returns a looping sound and a stream of a rate.
func newSounds(lib *library.Library, rate int) (sound, stream *sounds.Sound, err error) {
	data := make([]float32, rate/10)
	for i := range data {
		data[i] = float32(0.25 * math.Sin(float64(i)/10))
	}
	if sound, err = sounds.NewSound(sounds.Samples{Rate: rate, Channels: 1, Data: data}); err != nil {
		return nil, nil, err
	}
	stream, err = lib.StreamFrames(library.FrameSource{
		Name: "stream", Rate: rate, Frames: int64(rate), Loop: &pcm.Loop{0, int64(rate)},
		Open: func() (library.FrameReader, error) { return endless{}, nil },
	}, library.StreamOptions{Ahead: 100 * time.Millisecond})
	return sound, stream, err
}

// newRig returns the rig of a configuration. It shares the sounds of an earlier rig with the same rate.
func newRig(c mixer.Config, rigs map[int]*rig) (*rig, error) {
	m, err := mixer.New(c)
	if err != nil {
		return nil, err
	}
	r := &rig{}
	if old := rigs[m.Rate()]; old != nil {
		*r = rig{sound: old.sound, stream: old.stream, bank: old.bank}
	} else {
		lib := library.NewLibrary(library.Options{Rate: m.Rate()})
		if r.sound, r.stream, err = newSounds(lib, m.Rate()); err != nil {
			return nil, err
		}
		files := fstest.MapFS{"bank.yaml": {Data: fmt.Appendf(nil, bankText, m.Rate())}, "a.wav": {Data: wave(m.Rate())}}
		if r.bank, err = bank.Open(files, "bank.yaml", lib); err != nil {
			return nil, err
		}
		rigs[m.Rate()] = r
	}
	r.config, r.mixer, r.block = c, m, make([]pcm.Frame, 32*m.Outputs())
	return r, r.bank.Use(m)
}

func (r *rig) render(blocks int) {
	for range blocks {
		r.mixer.Render(r.block)
	}
}

// options returns the options of a voice with all properties that calls change.
func (r *rig) options() mixer.Options {
	return mixer.Options{Bus: r.bus, Loop: true, Emitter: &space.Emitter{}, EngineOptions: mixer.EngineOptions{Sends: []mixer.Send{{To: hall, Gain: -6}}, Tag: 7}}
}

// ready starts the voices for a call and renders until they play: always a voice, and a stream and a sound of
// the bank if the call may use them.
func (r *rig) ready(stream, play bool) (err error) {
	if r.bus, err = r.mixer.Bus(plain); err != nil {
		return err
	}
	r.batch, r.countdown = r.mixer.Engine().NewBatch(), r.mixer.Engine().NewCountdown()
	at := r.mixer.Engine().At(r.mixer.Now())
	if r.voice, err = at.Play(r.sound, r.options()); err != nil {
		return err
	}
	states := []func() mixer.State{r.voice.State}
	if stream {
		if r.streamed, err = at.Play(r.stream, r.options()); err != nil {
			return err
		}
		states = append(states, r.streamed.State)
	}
	if play {
		if err := r.bank.Use(r.mixer); err != nil { // the last call may have set another mixer
			return err
		}
		if r.play, err = r.bank.PlayAt(r.mixer.Now(), "both", bank.Options{Emitter: &space.Emitter{}}); err != nil {
			return err
		}
		states = append(states, r.play.State)
	}
	r.render(2)
	for _, state := range states {
		if s := state(); s != mixer.StatePlaying && s != mixer.StateVirtual {
			return fmt.Errorf("a voice is %v", s)
		}
	}
	return nil
}

// clear ends all voices.
func (r *rig) clear() {
	r.mixer.StopAll(0)
	r.render(3)
	var events [64]mixer.Event
	for r.mixer.Events(events[:]) > 0 {
	}
}

// receivers returns the receivers for methods of a type; nil: unknown type.
func (r *rig) receivers(typ reflect.Type) []any {
	switch typ {
	case reflect.TypeFor[*mixer.Mixer]():
		return []any{r.mixer}
	case reflect.TypeFor[*mixer.Engine]():
		return []any{new(r.mixer.Engine())}
	case reflect.TypeFor[*mixer.Moment]():
		return []any{new(r.mixer.Engine().At(mixer.Now)), new(r.mixer.Engine().At(r.mixer.Now() + 20)), new(r.mixer.Engine().NewBatch().At(10))}
	case reflect.TypeFor[*bank.Point]():
		return []any{new(bank.NextBar)}
	case reflect.TypeFor[*mixer.Handle]():
		return []any{&r.voice, &r.streamed}
	case reflect.TypeFor[*bank.MemoryError]():
		return []any{&bank.MemoryError{Group: "level", Needs: 3, Used: 2, Limit: 4}}
	case reflect.TypeFor[*mixer.Handles]():
		return []any{&mixer.Handles{r.voice, r.streamed}}
	case reflect.TypeFor[*mixer.Bus]():
		return []any{&r.bus}
	case reflect.TypeFor[*mixer.Batch]():
		return []any{r.batch}
	case reflect.TypeFor[*mixer.Group]():
		g, _ := r.mixer.NewGroup("group", mixer.GroupOptions{Voices: 2})
		return []any{g}
	case reflect.TypeFor[*mixer.EventReader]():
		return []any{r.mixer.Engine().NewEventReader()}
	case reflect.TypeFor[*mixer.Event]():
		return []any{&mixer.Event{Kind: mixer.EventStarted, Sound: r.sound, Bus: r.bus}}
	case reflect.TypeFor[*mixer.Config]():
		return []any{&r.config}
	case reflect.TypeFor[*bank.Bank]():
		return []any{r.bank}
	case reflect.TypeFor[*bank.Moment]():
		return []any{new(r.play.At(r.mixer.Now() + 20)), new(r.play.At(mixer.Now))}
	case reflect.TypeFor[*bank.ActiveScene]():
		s, _ := r.bank.EnterScene("menu", 0)
		return []any{&s}
	case reflect.TypeFor[*bank.Handle]():
		return []any{&r.play}
	case reflect.TypeFor[*bank.Music]():
		mu, err := r.bank.Music("theme")
		if err != nil || r.bank.Use(r.mixer) != nil {
			return nil
		}
		_ = mu.Play(bank.Options{}) // fails after Close
		return []any{mu}
	case reflect.TypeFor[*bank.Options](), reflect.TypeFor[*mixer.Options](), reflect.TypeFor[*mixer.Change](), reflect.TypeFor[*mixer.Played](),
		reflect.TypeFor[*mixer.Filters](), reflect.TypeFor[*mixer.FilterOverrides]():
		return []any{reflect.New(typ.Elem()).Interface()}
	}
	if typ.Elem().Kind() == reflect.Uint8 { // an enumeration
		return []any{reflect.New(typ.Elem()).Interface()}
	}
	return nil
}

// targets returns the possible values of a Target.
func (r *rig) targets() []any {
	return []any{mixer.TargetVoice(r.voice), mixer.TargetBus(r.bus), mixer.TargetTag(7), mixer.TargetSound(r.stream), mixer.TargetVoice(r.play.Handle), mixer.TargetAll()}
}

// argument returns a valid argument for a parameter, by its type and, if that is ambiguous, the name of the
// method; nil: unknown.
func (r *rig) argument(name string, typ reflect.Type) any {
	method := name[strings.LastIndex(name, ".")+1:]
	switch typ {
	case reflect.TypeFor[string]():
		return map[string]string{
			"Bus": plain, "SetSend": hall, "SetEffect": "eq", "NewGroup": "group", "Play": "both", "PlayAt": "both", "Scene": "menu", "EnterScene": "menu", "Music": "theme", "Go": "main", "Set": "rpm", "Stop": "both", "LoadGroup": "level", "Unload": "level",
		}[method]
	case reflect.TypeFor[float64]():
		return map[string]float64{"SetPan": 0.5, "SetSpeed": 1.5, "SetLowPass": 500, "SetHighPass": 100, "Set": 0.5}[method]
	case reflect.TypeFor[int]():
		return map[string]int{"Resize": 8, "SetLoop": 2, "SetPriority": 1, "Stems": 64, "UntilEnd": 64, "Skip": 32, "Add": 1}[method]
	case reflect.TypeFor[int64]():
		return r.mixer.Now() + 10
	case reflect.TypeFor[mixer.Ref]():
		return mixer.Ref(1)
	case reflect.TypeFor[mixer.Filters]():
		return mixer.Filters{LowPass: 500}
	case reflect.TypeFor[[]mixer.Event]():
		return make([]mixer.Event, 8)
	case reflect.TypeFor[[]bank.MusicEvent]():
		return make([]bank.MusicEvent, 8)
	case reflect.TypeFor[[]mixer.Entry]():
		return make([]mixer.Entry, 8)
	case reflect.TypeFor[[]pcm.Frame]():
		return r.block
	case reflect.TypeFor[[]mixer.Handle]():
		return []mixer.Handle{r.voice}
	case reflect.TypeFor[[]bank.Handle]():
		return []bank.Handle{r.play}
	case reflect.TypeFor[mixer.Options]():
		return r.options()
	case reflect.TypeFor[context.Context]():
		if method == "LoadGroup" { // it fails if the context is over
			return context.Background()
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		return ctx
	case reflect.TypeFor[func(error)]():
		return func(error) {}
	case reflect.TypeFor[[]effect.Effect]():
		e, err := effect.New("width", nil)
		if err != nil {
			panic(err)
		}
		return []effect.Effect{e}
	case reflect.TypeFor[func(bank.LoadProgress)]():
		return func(bank.LoadProgress) {}
	case reflect.TypeFor[func()]():
		return func() {}
	case reflect.TypeFor[*sounds.Sound]():
		return r.sound
	case reflect.TypeFor[mixer.Insert]():
		return newInsert()
	case reflect.TypeFor[*mixer.Mixer]():
		return r.mixer
	}
	for _, x := range []any{
		true, int32(1), 10 * time.Millisecond, time.Now(), pcm.Decibels(-3), pcm.Semitones(2), sounds.RaisedCosine, mixer.AtEnd,
		mixer.Change{Fields: mixer.FieldGain, Gain: -3}, mixer.Duck{When: hall, By: 3}, mixer.GroupOptions{Voices: 2}, mixer.Stem{Sound: "s"},
		effect.Values{"bypass": 0}, space.Spot{}, []space.Spot{{}}, space.Listener{}, r.bus, r.batch, r.countdown, r.voice, bank.Options{}, bank.NextBar,
	} {
		if reflect.TypeOf(x) == typ {
			return x
		}
	}
	return nil
}

// functions returns the exported functions of the packages.
func functions() map[string]func(*rig) error {
	return map[string]func(*rig) error{
		"mixer.New":           func(r *rig) error { _, err := mixer.New(r.config); return err },
		"mixer.ParseOverflow": func(*rig) error { _, err := mixer.ParseOverflow("oldest"); return err },
		"mixer.ParseWhenFull": func(*rig) error { _, err := mixer.ParseWhenFull("end"); return err },
		"mixer.TargetVoice":   func(r *rig) error { mixer.TargetVoice(r.voice); return nil },
		"mixer.TargetTag":     func(*rig) error { _ = mixer.TargetTag(1); return nil },
		"mixer.TargetSound":   func(r *rig) error { mixer.TargetSound(r.sound); return nil },
		"mixer.TargetBus":     func(r *rig) error { mixer.TargetBus(r.bus); return nil },
		"mixer.TargetAll":     func(*rig) error { _ = mixer.TargetAll(); return nil },
		"bank.Open": func(r *rig) error {
			lib := library.NewLibrary(library.Options{Rate: r.mixer.Rate()})
			_, err := bank.Open(fstest.MapFS{"b.yaml": {Data: []byte("sounds: {}")}}, "b.yaml", lib)
			return err
		},
		"bank.Every":  func(*rig) error { _ = bank.Every(4); return nil },
		"bank.Marker": func(*rig) error { _ = bank.Marker("drop"); return nil },
		"bank.Parse":  func(*rig) error { _, err := bank.Parse("b.yaml", []byte("sounds: {}")); return err },
	}
}
