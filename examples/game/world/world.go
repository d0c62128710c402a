// Package world is the logic of the shooter, without sound and picture. A step depends only on the seed and
// the keys. The events of the last step are in Events.
package world

import "math/rand/v2"

const (
	Width, Height = 860, 720 // of the field, in pixels
	Enemies       = 40       // maximum at a time
	Shots         = 200      // of both sides
)

// Kind is the kind of an event.
type Kind uint8

const (
	Appeared Kind = iota // an enemy
	Fired                // the ship
	Shot                 // an enemy
	Hit                  // an enemy that survives
	Destroyed
	Wounded // the ship
)

// Event is an event of the last step. Enemy is the index of the enemy in World.Enemies.
type Event struct {
	Kind  Kind
	Enemy int
	X, Y  float64
}

// Body is an enemy or a shot, alive or destroyed. Age counts steps.
type Body struct {
	Alive        bool
	Ours         bool // a shot of the ship
	X, Y, DX, DY float64
	Life, Age    int
}

// Keys are the keys held down by the player.
type Keys struct{ Left, Right, Fire bool }

// World is the state of the game. It does not allocate after New.
type World struct {
	X       float64 // of the ship
	Score   int
	Tick    int
	Enemies [Enemies]Body
	Shots   [Shots]Body
	Events  []Event // of the last step

	random *rand.Rand
}

// ShipY is the y coordinate of the ship.
const ShipY = Height - 60

// New returns a world. The same seed and keys give the same world.
func New(seed uint64) *World {
	return &World{X: Width / 2, Events: make([]Event, 0, 256), random: rand.New(rand.NewPCG(seed, 1))}
}

// Step advances the world by a sixtieth of a second.
func (w *World) Step(k Keys) {
	w.Tick++
	w.Events = w.Events[:0]
	if k.Left {
		w.X = max(w.X-6, 30)
	}
	if k.Right {
		w.X = min(w.X+6, Width-30)
	}
	if k.Fire && w.Tick%6 == 0 {
		w.tell(Fired, 0, w.X, ShipY)
		for _, dx := range []float64{-1.5, 0, 1.5} {
			w.shoot(Body{Ours: true, X: w.X, Y: ShipY - 20, DX: dx, DY: -11})
		}
	}
	if w.Tick%5 == 0 {
		w.appear()
	}
	w.enemies()
	w.shots()
}

func (w *World) tell(k Kind, enemy int, x, y float64) {
	if len(w.Events) < cap(w.Events) {
		w.Events = append(w.Events, Event{k, enemy, x, y})
	}
}

func (w *World) shoot(b Body) {
	for i := range w.Shots {
		if !w.Shots[i].Alive {
			b.Alive = true
			w.Shots[i] = b
			return
		}
	}
}

func (w *World) appear() {
	for i := range w.Enemies {
		if e := &w.Enemies[i]; !e.Alive {
			*e = Body{
				Alive: true, Life: 3, X: 40 + w.random.Float64()*(Width-80), Y: -20,
				DX: w.random.Float64()*5 - 2.5, DY: 0.5 + w.random.Float64()*1.2,
			}
			w.tell(Appeared, i, e.X, e.Y)
			return
		}
	}
}

func (w *World) enemies() {
	for i := range w.Enemies {
		e := &w.Enemies[i]
		e.Age++
		if !e.Alive {
			continue
		}
		e.X, e.Y = e.X+e.DX, e.Y+e.DY
		if e.X < 20 || e.X > Width-20 {
			e.DX = -e.DX
		}
		if e.Y > Height*0.7 || e.Y > 60 && e.Y < 60+e.DY && e.DY < 0 {
			e.DY = -e.DY
		}
		e.Y = max(e.Y, -20)
		if e.Y == -20 && e.DY < 0 {
			e.DY = -e.DY
		}
		if w.random.IntN(90) == 0 {
			w.tell(Shot, i, e.X, e.Y)
			w.shoot(Body{X: e.X, Y: e.Y + 12, DX: (w.X - e.X) / 120, DY: 5})
		}
	}
}

func (w *World) shots() {
	for i := range w.Shots {
		s := &w.Shots[i]
		if !s.Alive {
			continue
		}
		s.X, s.Y = s.X+s.DX, s.Y+s.DY
		s.Alive = s.X > 0 && s.X < Width && s.Y > -20 && s.Y < Height
		if s.Ours {
			w.strike(s)
		} else if near(s, w.X, ShipY) {
			s.Alive = false
			w.Score = max(w.Score-5, 0)
			w.tell(Wounded, 0, w.X, ShipY)
		}
	}
}

// strike finds the enemy that a shot of the ship hits.
func (w *World) strike(s *Body) {
	for i := range w.Enemies {
		e := &w.Enemies[i]
		if !e.Alive || !near(s, e.X, e.Y) {
			continue
		}
		s.Alive = false
		if e.Life--; e.Life > 0 {
			w.tell(Hit, i, e.X, e.Y)
			return
		}
		e.Alive, e.Age = false, 0
		w.Score += 10
		w.tell(Destroyed, i, e.X, e.Y)
		return
	}
}

func near(b *Body, x, y float64) bool {
	return (b.X-x)*(b.X-x)+(b.Y-y)*(b.Y-y) < 18*18
}
