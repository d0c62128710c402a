package pool_test

import (
	"fmt"

	"voicepool/pool"
)

// The particle system of the chapter. Particles live for some frames, move in a straight line, and are released
// at the end of their life.
func Example_particles() {
	type particle struct {
		x, y, vx, vy float64
		framesLeft   int
	}
	particles, err := pool.New(pool.Config[particle]{Size: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	create := func(x, y, vx, vy float64, lifetime int) bool {
		_, p, ok := particles.Acquire()
		if ok { // a missing spark is not noticed on a full screen
			*p = particle{x, y, vx, vy, lifetime}
		}
		return ok
	}
	animate := func() {
		for h, p := range particles.All() {
			p.x += p.vx
			p.y += p.vy
			if p.framesLeft--; p.framesLeft == 0 {
				particles.Release(h)
			}
		}
	}

	fmt.Println(create(0, 0, 1, 0, 1), create(0, 0, 0, 1, 3), create(5, 5, -1, -1, 2), create(9, 9, 0, 0, 9))
	for range 3 {
		animate()
		fmt.Print(particles.Len(), " left:")
		for _, p := range particles.All() {
			fmt.Print(" ", p.x, ",", p.y)
		}
		fmt.Println()
	}
	// Output:
	// true true true false
	// 2 left: 0,1 4,4
	// 1 left: 0,2
	// 0 left:
}

// A handle may safely outlive its object.
func ExamplePool_Get() {
	enemies, _ := pool.New(pool.Config[string]{Size: 1})
	goblin, name, _ := enemies.Acquire()
	*name = "goblin"

	target := goblin // the target of a missile
	fmt.Println(*enemies.Get(target))

	enemies.Release(goblin)
	_, name, _ = enemies.Acquire()
	*name = "princess" // in the same slot
	fmt.Println(enemies.Get(target) == nil, enemies.Release(target), *name)
	// Output:
	// goblin
	// true false princess
}

// Initialization outside: the caller sets the object that Acquire returns. Initialization inside: the pool does
// it in OnAcquire, so that no caller can forget it.
func ExampleConfig_initialisation() {
	type ghost struct {
		self  pool.Handle // with its own handle it can release itself
		state string
	}
	outside, _ := pool.New(pool.Config[ghost]{Size: 1})
	h, g, _ := outside.Acquire()
	*g = ghost{h, "haunting"}
	fmt.Println(outside.Get(g.self).state)

	inside, _ := pool.New(pool.Config[ghost]{
		Size: 1,
		OnAcquire: func(h pool.Handle, g *ghost) {
			*g = ghost{h, "haunting"}
		},
		OnRelease: func(_ pool.Handle, g *ghost, killed bool) {
			fmt.Println("no longer", g.state)
		},
	})
	_, g, _ = inside.Acquire()
	inside.Release(g.self)
	// Output:
	// haunting
	// no longer haunting
}

// Make as a factory: each slot's buffer is made once and reused.
func ExampleConfig_make() {
	lines, _ := pool.New(pool.Config[[]byte]{
		Size:      2,
		Make:      func(_ int, b *[]byte) { *b = make([]byte, 0, 80) },
		OnAcquire: func(_ pool.Handle, b *[]byte) { *b = (*b)[:0] },
	})
	for _, text := range []string{"one", "two", "three"} {
		h, line, _ := lines.Acquire()
		*line = append(*line, text...)
		fmt.Println(string(*line), cap(*line))
		lines.Release(h)
	}
	// Output:
	// one 80
	// two 80
	// three 80
}

// The behaviours of a full pool, named as in "Pooling in Java": NULL, DESTROY and EXPAND.
func ExampleOverflow() {
	for _, way := range []struct {
		name   string
		config pool.Config[int]
	}{
		{"NULL", pool.Config[int]{Size: 2}},
		{"DESTROY", pool.Config[int]{Size: 2, Overflow: pool.Kill, Order: pool.ByAge}},
		{"EXPAND", pool.Config[int]{Size: 2, Max: 3, Step: 1}},
	} {
		p, _ := pool.New(way.config)
		fmt.Print(way.name, ":")
		for i := range 4 {
			if _, x, ok := p.Acquire(); ok {
				*x = i
			}
		}
		for _, x := range p.All() {
			fmt.Print(" ", *x)
		}
		fmt.Printf(", %d refused\n", p.Counters().Refused)
	}
	// Output:
	// NULL: 0 1, 2 refused
	// DESTROY: 2 3, 0 refused
	// EXPAND: 0 1 2, 1 refused
}

// The quietest sound is killed for a new one.
func ExamplePool_SetScore() {
	sounds, _ := pool.New(pool.Config[string]{Size: 3, Overflow: pool.Kill, Order: pool.ByScore})
	play := func(name string, loudness float64) {
		h, x, _ := sounds.Acquire()
		*x = name
		sounds.SetScore(h, loudness)
	}
	play("music", 0.5)
	play("steps", 0.1)
	play("wind", 0.2)
	fmt.Println(*sounds.Get(sounds.First()), "is next")
	play("gun", 0.9)
	for _, x := range sounds.All() {
		fmt.Println(*x)
	}
	// Output:
	// steps is next
	// music
	// gun
	// wind
}

// A custom choice of victim: enemies off the screen may be killed, except the boss.
func ExampleConfig_choose() {
	type enemy struct {
		name      string
		onScreen  bool
		important bool
	}
	enemies, _ := pool.New(pool.Config[enemy]{
		Size: 2, Overflow: pool.Kill,
		Choose: func(p *pool.Pool[enemy]) pool.Handle {
			for h, e := range p.All() {
				if !e.onScreen && !e.important {
					return h
				}
			}
			return 0 // no victim: the request is refused
		},
	})
	for _, e := range []enemy{
		{name: "boss", important: true},
		{name: "bat"},
		{name: "rat", onScreen: true},
		{name: "owl", onScreen: true},
	} {
		_, x, ok := enemies.Acquire()
		if ok {
			*x = e
		}
		fmt.Println(e.name, ok)
	}
	// Output:
	// boss true
	// bat true
	// rat true
	// owl false
}

// Iterating over the active objects in the order of their slots, by iterator and by index.
func ExamplePool_All() {
	p, _ := pool.New(pool.Config[rune]{Size: 100})
	for _, r := range "pooling" {
		_, x, _ := p.Acquire()
		*x = r
	}
	for h, x := range p.All() {
		if *x == 'o' {
			p.Release(h) // safe at any time
		}
	}
	for s := p.Next(0); s >= 0; s = p.Next(s + 1) {
		fmt.Printf("%d%c ", s, *p.At(s))
	}
	// Output:
	// 0p 3l 4i 5n 6g
}

// A pool that grows for a battle and shrinks afterwards.
func ExamplePool_Advance() {
	p, _ := pool.New(pool.Config[int]{Size: 4, Max: 64, Step: 8, Idle: 60})
	for range 10 {
		p.Acquire()
	}
	fmt.Println("battle:", p.Limit())
	p.Clear()
	for frame := range 121 {
		p.Advance(1)
		if frame%60 == 59 {
			fmt.Println("frame", frame+1, p.Limit())
		}
	}
	// Output:
	// battle: 12
	// frame 60 4
	// frame 120 4
}

// Different sizes for different scenes.
func ExamplePool_Resize() {
	p, _ := pool.New(pool.Config[int]{Size: 4, Max: 16, Overflow: pool.Kill, Order: pool.ByAge})
	for range 4 {
		p.Acquire()
	}
	killed, err := p.Resize(1)
	fmt.Println(p.Len(), killed, err)
	_, err = p.Resize(17)
	fmt.Println(err)
	// Output:
	// 1 3 <nil>
	// pool: limit out of range: 17 is not in 1..16
}

// Choosing the size of a pool from the usage of the busiest scene, recorded with a size that is surely large
// enough.
func ExamplePool_Suggest() {
	p, _ := pool.New(pool.Config[int]{Size: 1000})
	var handles []pool.Handle
	for i := range 100 {
		h, _, _ := p.Acquire()
		handles = append(handles, h)
		if i != 50 { // one burst
			for len(handles) > 4 {
				p.Release(handles[0])
				handles = handles[1:]
			}
			continue
		}
		for range 20 {
			h, _, _ := p.Acquire()
			handles = append(handles, h)
		}
	}
	none, _ := p.Suggest(0)
	few, _ := p.Suggest(0.2)
	fmt.Println("most at once:", p.HighWater())
	fmt.Println("nothing refused:", none)
	fmt.Println("at most every fifth refused:", few)
	// Output:
	// most at once: 26
	// nothing refused: 26
	// at most every fifth refused: 5
}

// The counters of a pool must balance.
func ExampleCounters_Balanced() {
	p, _ := pool.New(pool.Config[int]{Size: 2, Overflow: pool.Kill, Order: pool.ByAge})
	for range 5 {
		p.Acquire()
	}
	p.Release(p.First())
	c := p.Counters()
	fmt.Println(c.Active, "=", c.Acquired, "-", c.Released, "-", c.Killed, c.Balanced())
	// Output:
	// 1 = 5 - 1 - 3 true
}

// Events without garbage: each is taken from a pool, passed to all listeners, and released. A listener that sends
// another event needs a pool of two.
func Example_events() {
	type collision struct{ a, b string }
	events, _ := pool.New(pool.Config[collision]{Size: 1})
	listeners := []func(*collision){
		func(c *collision) { fmt.Println("sound of", c.a, "on", c.b) },
		func(c *collision) { fmt.Println("points for", c.a) },
	}
	send := func(a, b string) {
		h, c, ok := events.Acquire()
		if !ok {
			return
		}
		defer events.Release(h)
		c.a, c.b = a, b
		for _, listen := range listeners {
			listen(c)
		}
	}
	send("ball", "wall")
	listeners = listeners[:1]
	send("ball", "floor")
	// Output:
	// sound of ball on wall
	// points for ball
	// sound of ball on floor
}
