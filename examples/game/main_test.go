package main

import (
	"bytes"
	"errors"
	"flag"
	"image"
	"image/png"
	"log"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/audio"

	"voicepool/device/oto"
	"voicepool/device/reader"
	"voicepool/mixer"
	"voicepool/pcm"

	"voicepool/examples/game/sound"
	"voicepool/examples/game/take"
	"voicepool/examples/game/world"
)

var picture = flag.String("picture", "", "write the game's last picture to this file")

const (
	ticks = 420
	block = 800 // frames of sound in a frame of the game
	drag  = 400 // the pointer drags sliders from this step on
)

// played holds the results of the real game. TestMain runs it, because Ebitengine needs the main thread.
var played struct {
	err     error
	heard   []byte
	takes   []playedTake
	picture *image.RGBA
	score   int
}

// playedTake is the take of one of the game's mixers: the keys that change the policy also change the mixer.
type playedTake struct {
	*take.Take
	mixer *mixer.Mixer
	from  int // first audible frame
}

func script(tick int) world.Keys {
	return world.Keys{Fire: true, Left: tick/40%2 == 0, Right: tick/40%2 == 1}
}

// typed simulates the keys that change the pool and the scenes, by the step of the game, from 1.
func typed(step int, k ebiten.Key) bool {
	return k == ebiten.KeyM && (step == 100 || step == 115) || k == ebiten.KeyW && (step == 110 || step == 130) ||
		k == ebiten.KeyC && (step == 140 || step == 175 || step == 390) || k == ebiten.KeyV && step == 200 ||
		k == ebiten.KeyP && (step == 220 || step == 230 || step == 240 || step == 250 || step == 260 || step == 270) ||
		k == ebiten.KeyArrowUp && step >= 300 && step < 308 || k == ebiten.KeyArrowDown && step >= 310 && step < 318
}

// pointer simulates a pointer that drags the sliders of the music and of the engines.
func pointer(step int) (x, y int, down bool) {
	switch {
	case step >= drag && step < drag+10:
		return sliderX + sliderWidth - 10*(step-drag), sliderY + 3*sliderStep + 4, true
	case step >= drag+12 && step < drag+16:
		return sliderX + 120, sliderY + 2*sliderStep + 4, true
	}
	return 0, 0, false
}

func TestMain(m *testing.M) {
	flag.Parse()
	played.err = playReal()
	os.Exit(m.Run())
}

// playReal runs the game on a screen with simulated keys, and reads its sound in step with it.
func playReal() error {
	g, err := newGame(sound.Options{Journal: take.Journal})
	if err != nil {
		return err
	}
	mix, err := reader.New(g.sound.Output(), 48000, reader.Float32)
	if err != nil {
		return err
	}
	g.keys = func() world.Keys { return script(g.world.Tick) }
	step := 0
	g.typed = func(k ebiten.Key) bool { return typed(step, k) }
	g.pointer = func() (x, y int, down bool) { return pointer(step) }
	bytes := make([]byte, block*8)
	g.fail = func() error {
		step++
		if g.world.Tick > 0 {
			if err := record(g.sound); err != nil {
				return err
			}
			g.sound.Mixer().Prepare()
			for at := 0; at < len(bytes); {
				n, err := mix.Read(bytes[at:])
				if err != nil {
					return err
				}
				at += n
			}
			played.heard = append(played.heard, bytes...)
		}
		if played.picture != nil {
			return ebiten.Termination
		}
		return nil
	}
	g.after = func(screen *ebiten.Image) {
		if g.world.Tick >= ticks && played.picture == nil {
			played.picture = image.NewRGBA(image.Rect(0, 0, width, height))
			screen.ReadPixels(played.picture.Pix)
			played.score = g.world.Score
		}
	}
	return ebiten.RunGame(g)
}

// record begins a take when a new mixer is about to become audible.
func record(s *sound.Sound) error {
	m := s.Mixer()
	if n := len(played.takes); n > 0 && played.takes[n-1].mixer == m {
		return nil
	}
	t, err := take.New(m, s.Config())
	played.takes = append(played.takes, playedTake{t, m, len(played.heard) / 8})
	return err
}

// TestJournals compares the game's sound with renders of its mixers' journals, to the bit. The first block of
// 512 frames of each mixer is a crossfade. Journals omit the volumes of the player, so the comparison ends where the
// sliders move.
func TestJournals(t *testing.T) {
	if played.err != nil {
		t.Fatal(played.err)
	}
	const fade = 512
	want := make([]pcm.Frame, len(played.heard)/8+fade)
	for i, p := range played.takes {
		end := len(want)
		if i+1 < len(played.takes) {
			end = played.takes[i+1].from + fade
		}
		frames, err := p.Render(end - p.from)
		if err != nil {
			t.Fatalf("mixer %d: %v", i, err)
		}
		for k, f := range frames {
			if i > 0 && k < fade {
				in := float32(k+1) / fade
				for c, old := range want[p.from+k] {
					f[c] = float32(f[c]*in) + float32(old*(1-in))
				}
			}
			want[p.from+k] = f
		}
	}
	for at := 0; at < min(len(played.heard), (drag-1)*block*8); at += 8 {
		if !bytes.Equal(encode(want[at/8:][:1]), played.heard[at:at+8]) {
			t.Fatalf("frame %d was heard otherwise than the journals render", at/8)
		}
	}
	if len(played.takes) < 7 {
		t.Errorf("%d mixers have played: not every policy was heard", len(played.takes))
	}
}

// TestSound compares the game's sound with the same world without a screen, to the bit.
func TestSound(t *testing.T) {
	if played.err != nil {
		t.Fatal(played.err)
	}
	s, err := sound.New(sound.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w := world.New(1)
	g := &game{world: w, sound: s, keys: func() world.Keys { return script(w.Tick) }}
	step := 0
	g.typed = func(k ebiten.Key) bool { return typed(step, k) }
	g.pointer = func() (x, y int, down bool) { return pointer(step) }
	out := make([]pcm.Frame, block)
	first := 0
	for at := 0; at < len(played.heard); at += block * 8 {
		step++
		if err := g.Update(); err != nil {
			t.Fatal(err)
		}
		s.Mixer().Prepare()
		// A reader first fills its buffer, then reads 512 frames at a time.
		if at == 0 {
			s.Output().Render(out)
		} else {
			s.Output().Render(out[:512])
			s.Output().Render(out[512:])
		}
		if !bytes.Equal(encode(out), played.heard[at:at+block*8]) {
			t.Fatalf("step %d sounds otherwise on a screen than without one", first)
		}
		for i, v := range s.Slots {
			if _, ok := labels[v.Name]; !ok && v.Name != "" {
				t.Fatalf("step %d, slot %d: the sound %s has no label", first, i, v.Name)
			}
		}
		first++
	}
	if stats := s.Mixer().Stats(); first < ticks || played.score < 100 || stats.Asked < 50 {
		t.Errorf("%d steps, score %d, %d starts: too little has happened", first, played.score, stats.Asked)
	}
	if music, engines := s.Fader(3), s.Fader(2); music != 150./sliderWidth || engines != 0.5 || g.slider != 0 {
		t.Errorf("the sliders are at %v and %v, want 0.625 and 0.5; slider %d is held", music, engines, g.slider)
	}
}

// TestOneOutput checks that a second output of either kind is rejected.
func TestOneOutput(t *testing.T) {
	g := &game{listened: true}
	for _, device := range []bool{false, true} {
		if _, err := g.listen(device); !errors.Is(err, errOne) {
			t.Errorf("device %v beside another output: %v, want %v", device, err, errOne)
		}
	}
}

// TestWithoutSoundCard checks that the game continues without a sound card and logs one line. It must not
// open Ebitengine's context, whose error would end the game.
func TestWithoutSoundCard(t *testing.T) {
	s, err := sound.New(sound.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var said bytes.Buffer
	log.SetOutput(&said)
	defer log.SetOutput(os.Stderr)
	g := &game{sound: s, drivers: func() []oto.Driver {
		return []oto.Driver{{Name: "pulse", Detail: "no server"}, {Name: "alsa", Detail: "no sound card in /dev/snd"}}
	}}
	stop, err := g.listen(false)
	if err != nil {
		t.Fatal(err)
	}
	stop()
	const want = "no sound: pulse: no server; alsa: no sound card in /dev/snd; the game runs without sound\n"
	if !strings.HasSuffix(said.String(), want) || strings.Count(said.String(), "\n") != 1 {
		t.Errorf("it says %q, want %q", said.String(), want)
	}
	if audio.CurrentContext() != nil {
		t.Error("Ebitengine's context was asked")
	}
	if why := noSoundReason([]oto.Driver{{Name: "pulse"}, {Name: "alsa", Found: true}}); why != "" {
		t.Errorf("with a card: %q", why)
	}
}

func encode(frames []pcm.Frame) []byte {
	b := make([]byte, 0, len(frames)*8)
	for _, f := range frames {
		for _, x := range f {
			u := math.Float32bits(x)
			b = append(b, byte(u), byte(u>>8), byte(u>>16), byte(u>>24))
		}
	}
	return b
}

// TestPicture checks that the field and the panel both show many colours.
func TestPicture(t *testing.T) {
	if played.err != nil {
		t.Fatal(played.err)
	}
	for _, part := range []struct {
		name     string
		from, to int
	}{{name: "field", from: 0, to: world.Width}, {name: "panel", from: world.Width, to: width}} {
		colours := map[any]bool{}
		for y := range height {
			for x := part.from; x < part.to; x++ {
				colours[played.picture.At(x, y)] = true
			}
		}
		if len(colours) < 6 {
			t.Errorf("the %s has %d colours: it is not drawn", part.name, len(colours))
		}
	}
	if *picture == "" {
		return
	}
	var file bytes.Buffer
	if err := png.Encode(&file, played.picture); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(*picture, file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
