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

// New returns a world with the ship in the middle and no enemies yet. Equal seeds and keys give equal worlds.
func New(seed uint64) *World {
	return &World{X: Width / 2, Events: make([]Event, 0, 256), random: rand.New(rand.NewPCG(seed, 1))}
}

// Step advances the world by 1/60 s, with the keys held down during it, and replaces Events.
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
		w.addEvent(Fired, 0, w.X, ShipY)
		for _, dx := range []float64{-1.5, 0, 1.5} {
			w.addShot(Body{Ours: true, X: w.X, Y: ShipY - 20, DX: dx, DY: -11})
		}
	}
	if w.Tick%5 == 0 {
		w.addEnemy()
	}
	w.moveEnemies()
	w.moveShots()
}

// addEvent appends an event at x, y in pixels to Events. enemy is an index of Enemies, 0 for events of the ship. If
// Events is full, the event is dropped.
func (w *World) addEvent(k Kind, enemy int, x, y float64) {
	if len(w.Events) < cap(w.Events) {
		w.Events = append(w.Events, Event{k, enemy, x, y})
	}
}

// addShot puts b, as a living shot, into a free element of Shots. If all are in use, it is dropped.
func (w *World) addShot(b Body) {
	for i := range w.Shots {
		if !w.Shots[i].Alive {
			b.Alive = true
			w.Shots[i] = b
			return
		}
	}
}

// addEnemy puts an enemy with a random place and speed above the field. If Enemies is full, it has no effect.
func (w *World) addEnemy() {
	for i := range w.Enemies {
		if e := &w.Enemies[i]; !e.Alive {
			*e = Body{
				Alive: true, Life: 3, X: 40 + w.random.Float64()*(Width-80), Y: -20,
				DX: w.random.Float64()*5 - 2.5, DY: 0.5 + w.random.Float64()*1.2,
			}
			w.addEvent(Appeared, i, e.X, e.Y)
			return
		}
	}
}

// moveEnemies moves the living enemies by one step. They turn at the edges of the field and sometimes shoot at the
// ship.
func (w *World) moveEnemies() {
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
			w.addEvent(Shot, i, e.X, e.Y)
			w.addShot(Body{X: e.X, Y: e.Y + 12, DX: (w.X - e.X) / 120, DY: 5})
		}
	}
}

// moveShots moves the living shots by one step and handles hits. A shot at the ship costs 5 points; shots
// outside the field disappear.
func (w *World) moveShots() {
	for i := range w.Shots {
		s := &w.Shots[i]
		if !s.Alive {
			continue
		}
		s.X, s.Y = s.X+s.DX, s.Y+s.DY
		s.Alive = s.X > 0 && s.X < Width && s.Y > -20 && s.Y < Height
		if s.Ours {
			w.hitEnemy(s)
		} else if near(s, w.X, ShipY) {
			s.Alive = false
			w.Score = max(w.Score-5, 0)
			w.addEvent(Wounded, 0, w.X, ShipY)
		}
	}
}

// hitEnemy takes one life from the first enemy that s, a shot of the ship, touches, and ends the shot. A destroyed
// enemy gives 10 points. If s touches no enemy, it has no effect.
func (w *World) hitEnemy(s *Body) {
	for i := range w.Enemies {
		e := &w.Enemies[i]
		if !e.Alive || !near(s, e.X, e.Y) {
			continue
		}
		s.Alive = false
		if e.Life--; e.Life > 0 {
			w.addEvent(Hit, i, e.X, e.Y)
			return
		}
		e.Alive, e.Age = false, 0
		w.Score += 10
		w.addEvent(Destroyed, i, e.X, e.Y)
		return
	}
}

// near reports whether a body is closer than 18 pixels to x, y.
func near(b *Body, x, y float64) bool {
	return (b.X-x)*(b.X-x)+(b.Y-y)*(b.Y-y) < 18*18
}
