// Game is a small shooter with hundreds of sounds and a pool of 16 voices at first. The right side of the screen shows
// volume sliders, the bar and beat of the music, and the pool: the voice in each slot, its loudness, and the voices
// that lost their slots last.
//
//	go run .            # sound through Ebitengine's audio context
//	go run . -device    # sound through voicepool's own device
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"time"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/audio"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"voicepool/device/auto"
	"voicepool/device/null"
	"voicepool/device/oto"
	"voicepool/device/reader"
	"voicepool/mixer"

	"voicepool/examples/game/sound"
	"voicepool/examples/game/world"
)

// errOne reports a second audio output in the process: see docs/devices.md.
var errOne = errors.New("a process has one audio output: Ebitengine's context or voicepool's device, never both")

type game struct {
	world    *world.World
	sound    *sound.Sound
	keys     func() world.Keys     // returns the keys held down
	typed    func(ebiten.Key) bool // reports whether a key was just pressed
	pointer  func() (x, y int, down bool)
	slider   int                        // 1 + the index of the slider that the pointer drags; 0 without one
	after    func(screen *ebiten.Image) // called after each picture, for a test; may be nil
	listened bool                       // an output is open
	drivers  func() []oto.Driver        // returns the audio drivers
	fail     func() error               // ends the game with an error, for a test; may be nil
}

// heldKeys returns which keys of the game the player holds down; the left mouse button on the field counts as Fire.
func heldKeys() world.Keys {
	x, _, down := mouse()
	return world.Keys{
		Left:  ebiten.IsKeyPressed(ebiten.KeyArrowLeft),
		Right: ebiten.IsKeyPressed(ebiten.KeyArrowRight),
		Fire:  ebiten.IsKeyPressed(ebiten.KeySpace) || down && x < world.Width,
	}
}

// mouse returns the position of the pointer in pixels, and whether the left button is down.
func mouse() (x, y int, down bool) {
	x, y = ebiten.CursorPosition()
	return x, y, ebiten.IsMouseButtonPressed(ebiten.MouseButtonLeft)
}

// newGame returns a game with its sounds loaded and the first world. It opens no audio output; see listen.
func newGame(o sound.Options) (*game, error) {
	s, err := sound.New(o)
	if err != nil {
		return nil, err
	}
	return &game{world: world.New(1), sound: s, keys: heldKeys, typed: inpututil.IsKeyJustPressed, pointer: mouse,
		drivers: oto.Probe}, nil
}

// Update advances the game by 1/60 s, unless it is paused, and plays the sounds of that step. Ebitengine calls it; an
// error ends the game.
func (g *game) Update() error {
	if g.fail != nil {
		if err := g.fail(); err != nil {
			return err
		}
	}
	if err := g.handleKeys(); err != nil {
		return err
	}
	if err := g.handlePointer(); err != nil {
		return err
	}
	if g.sound.Paused() {
		g.world.Events = g.world.Events[:0]
	} else {
		g.world.Step(g.keys())
	}
	g.publishStats()
	return g.sound.Frame(g.world)
}

// handleKeys changes the pool for the keys pressed since the last step: the number of voices (up, down), the policy
// (P) and virtual voices (V). M, C and W open and close the menu, a cave and the water.
func (g *game) handleKeys() error {
	s := g.sound
	voices := int(s.Mixer().Stats().Voices)
	switch {
	case g.typed(ebiten.KeyArrowUp):
		return s.SetVoices(voices + 1)
	case g.typed(ebiten.KeyArrowDown):
		return s.SetVoices(voices - 1)
	case g.typed(ebiten.KeyP):
		// Masked is the last policy, and needs virtual voices.
		policy, virtual := (s.Policy+1)%(mixer.StealMasked+1), s.Virtual
		if policy == mixer.StealMasked {
			virtual = max(virtual, 32)
		}
		return s.SetPolicy(policy, virtual, g.world)
	case g.typed(ebiten.KeyV):
		virtual := 32 - s.Virtual
		if s.Policy == mixer.StealMasked {
			virtual = 32
		}
		return s.SetPolicy(s.Policy, virtual, g.world)
	}
	for i, k := range [len(sound.Scenes)]ebiten.Key{ebiten.KeyM, ebiten.KeyC, ebiten.KeyW} {
		if g.typed(k) {
			return s.Toggle(i)
		}
	}
	return nil
}

// handlePointer sets the volume of the slider that the pointer drags.
func (g *game) handlePointer() error {
	x, y, down := g.pointer()
	switch {
	case !down:
		g.slider = 0
		return nil
	case g.slider == 0 && x >= sliderX:
		if i := (y - sliderY + sliderStep) / sliderStep; i >= 1 && i <= len(sound.Sliders) {
			g.slider = i
		}
	}
	if g.slider == 0 {
		return nil
	}
	return g.sound.SetFader(g.slider-1, float64(x-sliderX)/sliderWidth)
}

// Layout returns the fixed size of the picture in pixels. It ignores the size of the window, which Ebitengine
// passes.
func (g *game) Layout(int, int) (int, int) { return width, height }

// noSoundReason returns why Ebitengine can play no sound with these drivers, or "" if at least one was found.
func noSoundReason(drivers []oto.Driver) (why string) {
	for _, d := range drivers {
		if d.Found {
			return ""
		}
		why += fmt.Sprintf("%s: %s; ", d.Name, d.Detail)
	}
	return why + "the game runs without sound"
}

// listen starts to play the game's sound, until the caller calls stop. With device it uses voicepool's own device,
// otherwise Ebitengine's audio context, or a silent output if no driver was found. A second output in the process is
// errOne.
func (g *game) listen(device bool) (stop func(), err error) {
	if g.listened || device && audio.CurrentContext() != nil {
		return nil, errOne
	}
	g.listened = true
	if device {
		out := auto.Open(g.sound.Output(), auto.Config{Name: "voicepool's game"})
		log.Print("sound: ", out)
		return func() { out.Close() }, nil
	}
	if why := noSoundReason(g.drivers()); why != "" { // Ebitengine's context would end the game
		log.Print("no sound: ", why)
		out := null.NewPaced(null.Config{Rate: g.sound.Output().Rate()})
		return func() { out.Close() }, out.Start(g.sound.Output())
	}
	context := audio.NewContext(g.sound.Output().Rate())
	mix, err := reader.New(g.sound.Output(), context.SampleRate(), reader.Float32)
	if err != nil {
		return nil, err
	}
	player, err := context.NewPlayerF32(mix)
	if err != nil {
		return nil, err
	}
	player.SetBufferSize(40 * time.Millisecond) // the default buffer delays sounds by half a second
	player.Play()
	return player.PauseAndStopReading, nil
}

// run parses the flags of the command line and plays the game until the player closes the window.
func run() error {
	device := flag.Bool("device", false, "play through voicepool's own device, not Ebitengine's context")
	flag.Parse()
	g, err := newGame(sound.Options{})
	if err != nil {
		return err
	}
	defer g.sound.Close()
	stop, err := g.listen(*device)
	if err != nil {
		return err
	}
	defer stop()
	ebiten.SetWindowSize(width, height)
	ebiten.SetWindowTitle(fmt.Sprintf("voicepool: %d voices", g.sound.Mixer().Stats().Voices))
	return ebiten.RunGame(g)
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
