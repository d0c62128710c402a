// Game is a small shooter with hundreds of sounds and a pool of 16 voices. The right side of the screen shows
// the pool: the voice in each slot, its loudness, and the voices stolen last.
//
//	go run .            # sound through Ebitengine's audio context
//	go run . -device    # sound through voicepool's own device
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"slices"
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
	keys     func() world.Keys          // returns the keys held down
	typed    func(ebiten.Key) bool      // reports whether a key was just pressed
	after    func(screen *ebiten.Image) // called after each picture, for a test; may be nil
	listened bool                       // an output is open
	drivers  func() []oto.Driver        // returns the audio drivers
	fail     func() error               // ends the game with an error, for a test; may be nil
}

func held() world.Keys {
	return world.Keys{
		Left:  ebiten.IsKeyPressed(ebiten.KeyArrowLeft),
		Right: ebiten.IsKeyPressed(ebiten.KeyArrowRight),
		Fire:  ebiten.IsKeyPressed(ebiten.KeySpace) || ebiten.IsMouseButtonPressed(ebiten.MouseButtonLeft),
	}
}

func newGame(o sound.Options) (*game, error) {
	s, err := sound.New(o)
	if err != nil {
		return nil, err
	}
	return &game{world: world.New(1), sound: s, keys: held, typed: inpututil.IsKeyJustPressed, drivers: oto.Probe}, nil
}

// Update advances the game by a sixtieth of a second.
func (g *game) Update() error {
	if g.fail != nil {
		if err := g.fail(); err != nil {
			return err
		}
	}
	if err := g.change(); err != nil {
		return err
	}
	g.world.Step(g.keys())
	g.tellPage()
	return g.sound.Frame(g.world)
}

// change applies the keys that change the pool.
func (g *game) change() error {
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
	case g.typed(ebiten.KeyS):
		return s.SetScene(after(s.Scene, "menu", "fight", "storm"))
	}
	return nil
}

// after returns the name that follows name in a cycle of names.
func after(name string, names ...string) string {
	return names[(slices.Index(names, name)+1)%len(names)]
}

// Layout returns the fixed size of the picture.
func (g *game) Layout(int, int) (int, int) { return width, height }

// silence returns why no sound can be played, or "".
func silence(drivers []oto.Driver) (why string) {
	for _, d := range drivers {
		if d.Found {
			return ""
		}
		why += fmt.Sprintf("%s: %s; ", d.Name, d.Detail)
	}
	return why + "the game runs without sound"
}

// listen plays the game's sound until the caller calls stop.
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
	if why := silence(g.drivers()); why != "" { // Ebitengine's context would end the game
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
