package bank_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"voicepool/bank"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
)

const twoLayers = `
voices: 8
master: {limiter: false}
buses: {sfx: {}, hall: {effects: [reverb]}}
sounds:
  low:  {file: sfx/high.wav, bus: sfx, pan: -1, loop: true, sends: {hall: -6}}
  high: {file: sfx/b.wav, bus: sfx, pan: 1, loop: true, sends: {hall: -6}}
  both: {layers: [low, high]}
  heard: {layers: [low, high], parameters: {x: {from: 0, to: 1, gain: [[0, -6], [1, 0]]}}}
`

// commands is the number of commands that the mixer of movedLayers takes.
const commands = 64

var leads = []time.Duration{0, 20 * time.Millisecond}

// voiceCalls returns arguments for the methods that change voices, by method name. Methods of a Moment take
// the target before them.
func voiceCalls() map[string][]any {
	return map[string][]any{
		"Cut": {}, "Fade": {pcm.Decibels(-9), 20 * time.Millisecond}, "FadeOut": {20 * time.Millisecond, sounds.InDecibels},
		"Pause": {}, "Protect": {true}, "Resume": {}, "Set": {mixer.Change{Fields: mixer.FieldGain | mixer.FieldPan, Gain: -9, Pan: 0.5}, 20 * time.Millisecond},
		"SetGain": {pcm.Decibels(-9)}, "SetHighPass": {900.0}, "SetLoop": {1}, "SetLowPass": {300.0}, "SetPan": {0.25}, "SetPitch": {pcm.Semitones(3)},
		"SetPosition": {space.Spot{Position: space.Vector{3, 4, 0}}}, "SetPriority": {3}, "SetSend": {"hall", pcm.Decibels(-30), time.Duration(0)},
		"SetSpeed": {1.5}, "Stop": {20 * time.Millisecond},
	}
}

// call calls a method of v and returns its error.
func call(v reflect.Value, method string, arguments ...any) error {
	in := []reflect.Value{}
	for _, x := range arguments {
		in = append(in, reflect.ValueOf(x))
	}
	err, _ := v.MethodByName(method).Call(in)[0].Interface().(error)
	return err
}

// layersTogether compares a play with two layers, changed by move, with two plays of the same sounds, each
// changed by move. The frames must be equal and, if heard is set, differ from the frames unchanged.
func layersTogether(t *testing.T, name string, heard bool, lead time.Duration, unchanged []pcm.Frame, move func(m *mixer.Mixer, h bank.Handle) error) {
	t.Helper()
	both, apart := movedLayers(t, name, lead, move, "both"), movedLayers(t, name, lead, move, "low", "high")
	if !slices.Equal(both, apart) {
		t.Errorf("%s with a lead of %v does not reach all layers", name, lead)
	}
	if slices.Equal(both, unchanged) == heard {
		t.Errorf("%s with a lead of %v: it changes what is heard: %v, want %v", name, lead, !heard, heard)
	}
}

// unmovedLayers returns the frames of a play with two layers that never changes.
func unmovedLayers(t *testing.T, lead time.Duration) []pcm.Frame {
	t.Helper()
	return movedLayers(t, "", lead, func(*mixer.Mixer, bank.Handle) error { return nil }, "both")
}

// movedLayers starts plays, calls move for each of them after 300 frames, and returns the 2000 frames that follow. Each
// reading of the clock takes 1 ms, but all plays start and are moved at the same time.
func movedLayers(t *testing.T, name string, lead time.Duration, move func(m *mixer.Mixer, h bank.Handle) error, plays ...string) []pcm.Frame {
	t.Helper()
	b, err := open(t, twoLayers)
	if err != nil {
		t.Fatal(err)
	}
	var now time.Duration
	config := b.Config()
	config.Commands = commands
	config.Lead, config.Clock = lead, func() time.Duration {
		now += time.Millisecond
		return now
	}
	m, err := mixer.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	if err := b.Use(m); err != nil {
		t.Fatal(err)
	}
	var handles []bank.Handle
	for _, play := range plays {
		now = 0
		handles = append(handles, start(t, b, play, bank.Options{Emitter: &space.Emitter{}}))
	}
	render(m, 300)
	for _, h := range handles {
		now = pcm.Duration(300, m.Rate())
		if err := move(m, h); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	m.Prepare() // prepares the mip levels for pitched voices
	return render(m, 2000)
}

// TestMomentsReachAllLayers calls every method of a Moment with a target on the handle of a bank, now and at
// a frame, with and without a lead.
func TestMomentsReachAllLayers(t *testing.T) {
	moment, calls := reflect.TypeFor[mixer.Moment](), voiceCalls()
	unchanged := map[time.Duration][]pcm.Frame{}
	for _, lead := range leads {
		unchanged[lead] = unmovedLayers(t, lead)
	}
	found := 0
	for i := range moment.NumMethod() {
		method := moment.Method(i)
		if method.Type.NumIn() < 2 || method.Type.In(1) != reflect.TypeFor[mixer.Target]() || method.Name == "Seek" { // Seek moves only the first layer
			continue
		}
		found++
		arguments, ok := calls[method.Name]
		if !ok {
			t.Errorf("voiceCalls has no arguments for mixer.Moment.%s", method.Name)
			continue
		}
		for _, later := range []int64{-1, 700} {
			for _, lead := range leads {
				layersTogether(t, method.Name, method.Name != "Resume", lead, unchanged[lead], func(m *mixer.Mixer, h bank.Handle) error {
					frame := int64(mixer.Now)
					if later > 0 {
						frame = m.Now() + later
					}
					return call(reflect.ValueOf(m.Engine().At(frame)), method.Name, slices.Concat([]any{mixer.TargetVoice(h.Handle)}, arguments)...)
				})
			}
		}
	}
	if found < 10 {
		t.Errorf("%d methods, too few to be all", found)
	}
}

// TestHandlesReachAllLayers calls every method of a bank's handle that changes voices, with and without a
// lead.
func TestHandlesReachAllLayers(t *testing.T) {
	handle, calls := reflect.TypeFor[bank.Handle](), voiceCalls()
	unchanged := map[time.Duration][]pcm.Frame{}
	for _, lead := range leads {
		unchanged[lead] = unmovedLayers(t, lead)
	}
	for i := range handle.NumMethod() {
		method := handle.Method(i)
		if method.Type.NumOut() != 1 || method.Type.Out(0) != reflect.TypeFor[error]() || method.Name == "Seek" || method.Name == "Set" { // Seek moves only the first layer, and Set a parameter
			continue
		}
		arguments, ok := calls[method.Name]
		if !ok {
			t.Errorf("voiceCalls has no arguments for bank.Handle.%s", method.Name)
			continue
		}
		silent := slices.Contains([]string{"Resume", "Protect", "SetPriority"}, method.Name)
		for _, lead := range leads {
			layersTogether(t, method.Name, !silent, lead, unchanged[lead], func(_ *mixer.Mixer, h bank.Handle) error {
				return call(reflect.ValueOf(h), method.Name, arguments...)
			})
		}
	}
}

// TestFullMixerChangesAllLayersOrNone calls every method of a bank's handle that changes voices while the mixer has
// room for one command and the play has two layers. Without an error the layers must change as two plays that a mixer
// with room changes.
func TestFullMixerChangesAllLayersOrNone(t *testing.T) {
	handle, calls := reflect.TypeFor[bank.Handle](), voiceCalls()
	for _, lead := range leads {
		unchanged := unmovedLayers(t, lead)
		for i := range handle.NumMethod() {
			method := handle.Method(i).Name
			arguments, ok := calls[method]
			if !ok || method == "Set" || method == "Stop" && lead > 0 { // TestFullHandles of the mixer has this stop
				continue
			}
			move := func(_ *mixer.Mixer, h bank.Handle) error { return call(reflect.ValueOf(h), method, arguments...) }
			want, busy := unchanged, lead > 0 || method == "SetSend"
			if !busy {
				want = movedLayers(t, method, lead, move, "low", "high")
			}
			got := movedLayers(t, method, lead, func(m *mixer.Mixer, h bank.Handle) error {
				for range commands - 1 {
					if err := m.Engine().At(mixer.Now).Pause(mixer.TargetTag(99)); err != nil {
						t.Fatal(err)
					}
				}
				if err := move(m, h); (err == mixer.ErrBusy) != busy || err != nil && err != mixer.ErrBusy {
					t.Errorf("%s with a lead of %v: %v", method, lead, err)
				}
				return nil
			}, "both")
			if !slices.Equal(got, want) {
				t.Errorf("%s with a lead of %v does not change all layers or none", method, lead)
			}
		}
	}
}

// TestFullMixerKeepsParameters checks that a parameter that a full mixer does not take has no effect later.
func TestFullMixerKeepsParameters(t *testing.T) {
	_ = movedLayers(t, "Set", leads[1], func(m *mixer.Mixer, h bank.Handle) error {
		for range commands - 1 {
			if err := m.Engine().At(mixer.Now).Pause(mixer.TargetTag(99)); err != nil {
				t.Fatal(err)
			}
		}
		if err := h.Set("x", 1); err != mixer.ErrBusy {
			t.Errorf("a set of a full mixer: %v", err)
		}
		render(m, 2000)
		if err := h.SetGain(-3); err != nil {
			t.Fatal(err)
		}
		render(m, 2000)
		if gain, ok := h.Gain(); gain != -9 || !ok {
			t.Errorf("the gain is %v, %v; want -9, which includes -6 of the parameter", gain, ok)
		}
		return nil
	}, "heard")
}

// TestStopAtAFrameReachesAll checks a stop at a frame by the handle of a bank. It must end every layer,
// including delayed layers, and successors of a first voice that has long ended.
func TestStopAtAFrameReachesAll(t *testing.T) {
	b, m := ready(t, `
voices: 8
sounds:
  low: {file: sfx/a.wav, loop: true}
  high: {file: sfx/b.wav, loop: true}
  boom: {layers: [low, high, {sound: high, delay: 200ms}]}
  intro: {file: sfx/a.wav, then: low}
  tick: {file: sfx/c.wav}
`)
	boom, music := start(t, b, "boom", bank.Options{}), start(t, b, "intro", bank.Options{})
	render(m, 900)
	for range 4000 { // enough to make the mixer forget the intro
		start(t, b, "tick", bank.Options{}).Stop(0)
		render(m, 1)
	}
	if boom.State() != mixer.StatePlaying || music.State() != mixer.StatePlaying || !music.Handle.State().Over() {
		t.Fatalf("the layers are %v, the music is %v, its intro %v", boom.State(), music.State(), music.Handle.State())
	}
	before := m.Stats().Stopped
	for _, h := range []bank.Handle{boom, music} {
		if err := m.Engine().At(m.Now()+100).Stop(mixer.TargetVoice(h.Handle), 0); err != nil {
			t.Fatal(err)
		}
	}
	differences := start(t, b, "boom", bank.Options{})
	if err := m.Engine().At(m.Now()+100).Stop(mixer.TargetVoice(differences.Handle), 0); err != nil {
		t.Fatal(err)
	}
	render(m, 100)
	if st := m.Stats(); st.Stopped != before || st.Playing != 6 {
		t.Errorf("before the frame %d are stopped and %d play, want 0 and 6", st.Stopped-before, st.Playing)
	}
	render(m, 2000)
	if st := m.Stats(); st.Stopped != before+7 || st.Playing != 0 || st.Pending != 0 {
		t.Errorf("after the frame %d are stopped, %d play and %d are under way, want 7, 0 and 0", st.Stopped-before, st.Playing, st.Pending)
	}
}

// TestPlaysOfGamesAndBanks starts a play of a bank and, for each number that the game may use, a play of the
// game. Stopping the bank's play must not stop the game's.
func TestPlaysOfGamesAndBanks(t *testing.T) {
	b, err := open(t, "{voices: 8, sounds: {low: {file: sfx/a.wav, loop: true}, both: {layers: [low, low]}}}")
	if err != nil {
		t.Fatal(err)
	}
	config := b.Config()
	config.Stems = true // events contain play numbers only with stems
	m, err := mixer.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	if err := b.Use(m); err != nil {
		t.Fatal(err)
	}
	play := start(t, b, "both", bank.Options{})
	render(m, 100)
	events := make([]mixer.Event, 8)
	events = events[:m.Events(events)]
	if len(events) != 2 || events[0].Play() != events[1].Play() || events[0].Play() < 1<<63 {
		t.Fatalf("a bank tells of %v", events)
	}
	sound, number := events[0].Sound, events[0].Play()
	own, err := m.Play(sound, mixer.Options{Loop: true, EngineOptions: mixer.EngineOptions{Play: number &^ (1 << 63)}})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Engine().At(mixer.Now).Stop(mixer.TargetVoice(play.Handle), 0); err != nil {
		t.Fatal(err)
	}
	render(m, 100)
	if play.State() != mixer.StateStopped || own.State() != mixer.StatePlaying {
		t.Errorf("after a stop of the bank's play it is %v, and the game's %v", play.State(), own.State())
	}
}

// TestZeroHandle checks that every method of the zero Handle returns an error and does not panic.
func TestZeroHandle(t *testing.T) {
	v, calls := reflect.ValueOf(bank.Handle{}), voiceCalls()
	for i := range v.NumMethod() {
		method, name := v.Method(i), v.Type().Method(i).Name
		for _, good := range []bool{false, true} {
			var in []reflect.Value
			for j := range method.Type().NumIn() {
				if in = append(in, reflect.Zero(method.Type().In(j))); good && j < len(calls[name]) && reflect.TypeOf(calls[name][j]) == method.Type().In(j) {
					in[j] = reflect.ValueOf(calls[name][j])
				}
			}
			out := method.Call(in)
			if last := out[len(out)-1]; last.Type() == reflect.TypeFor[error]() && last.IsNil() {
				t.Errorf("%s of the zero Handle returns no error", name)
			}
		}
	}
}
