package play_test

import (
	"errors"
	"strings"
	"testing"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/sounds/library"
)

// TestChangeToWhatTheMixerLacks checks that an edit is rejected if it uses effects, sends or voices that the
// mixer of the show does not have. The same holds for an action by hand. The show continues.
func TestChangeToWhatTheMixerLacks(t *testing.T) {
	const (
		head     = "sounds: {a: {file: half.wav}}\n"
		original = head + "buses: {hall: {}, sfx: {effects: [{drive: {id: one}}], sends: {hall: -6}}}\nlist: [{cue: 1, play: a}]\n"
		rest     = "list: [{cue: 1, play: a}, {cue: 2, "
	)
	f := newFolder(t)
	for _, c := range []struct{ name, text, do, want string }{
		{name: "another kind", text: "buses: {hall: {}, sfx: {effects: [{eq: {id: one}}]}}\n" + rest + "set: sfx, effects: {one: {bypass: true}}}]", want: `:5:27: the bus "sfx" has no effect "one" of this kind now`},
		{name: "another name", text: "buses: {hall: {}, sfx: {effects: [{drive: {id: two}}]}}\n" + rest + "set: sfx, effects: {two: {amount: 3}}}]", want: `has no effect "two"`},
		{name: "of the master", text: "master: {effects: [drive]}\n" + rest + "set: master, effects: {drive: {amount: 3}}}]", want: `the bus "master" has no effect "drive"`},
		{name: "a send", text: "buses: {hall: {sends: {sfx: -6}}, sfx: {}}\n" + rest + "set: hall, sends: {sfx: -3}}]", want: `no send to "sfx"`},
		{name: "voices", text: "voices: 100\n" + rest + "voices: 99}]", want: "99 voices are more than the largest pool of 32"},
		{name: "a scene's effect", text: "buses: {hall: {effects: [width]}}\nscenes: {s: {buses: {hall: {effects: {width: {width: 0.5}}}}}}\n" + rest + "scene: s}]", want: `scene "s": the bus "hall" has no effect "width"`},
		{name: "a scene's send", text: "buses: {hall: {sends: {sfx: -6}}, sfx: {}}\nscenes: {s: {buses: {hall: {sends: {sfx: -1}}}}}\n" + rest + "scene: s}]", want: `scene "s": the bus "hall" has no send to "sfx"`},
		{name: "a scene's voices", text: "scenes: {s: {voices: 40}}\n" + rest + "scene: s}]", want: `scene "s": 40 voices are more than the largest pool of 32`},
		{name: "by hand, an effect", text: "buses: {hall: {effects: [width]}}\nlist: [{cue: 1, play: a}]", do: "set hall effects={width: {width: 0.5}}", want: `no effect "width"`},
		{name: "by hand, voices", text: "list: [{cue: 1, play: a}]", do: "voices 33", want: "33 voices are more than the largest pool of 32"},
		{name: "what it has", text: "buses: {hall: {}, sfx: {effects: [{drive: {id: one}}, width], sends: {hall: -6}}}\nscenes: {s: {voices: 3, buses: {sfx: {effects: {one: {amount: 3}}}}}}\n" +
			rest + "do: [{set: sfx, effects: {one: {amount: 3}}}, {set: sfx, sends: {hall: -3}}, {voices: 32}, {scene: s}]}]"},
	} {
		p := f.player(original, play.Options{Live: true, Changes: true})
		tried := false
		playLive(t, p, 20, func(frame int) {
			switch {
			case frame >= 800:
				p.Finish()
			case frame >= 100 && !tried:
				tried = true
				_, err := p.Change(t.Context(), f.sheet(rate, head+c.text), library.NewLibrary(library.Options{Rate: rate}), nil)
				kind := play.ErrChange
				if c.do != "" && err == nil {
					err, kind = p.Do(strings.SplitN(c.do, " ", 3)...), cue.ErrAction
				}
				if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, kind) || !strings.Contains(err.Error(), c.want)) {
					t.Errorf("%s: %v, want %s", c.name, err, c.want)
				}
				for i := range p.Sheet().List {
					if err := p.Fire(i); err != nil {
						t.Errorf("%s: cue %d: %v", c.name, i, err)
					}
				}
			}
		})
	}
}
