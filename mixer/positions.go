package mixer

import (
	"fmt"
	"math"
	"sync/atomic"

	"voicepool/space"
)

// words are numbers that the control side writes and the audio side reads,
// neither waiting for the other: a reader that came in between is told so.
type words[A ~[9]float64 | ~[10]float64] struct {
	version atomic.Uint32
	values  [10]atomic.Uint64
}

func (w *words[A]) write(a A) {
	v := w.version.Load()
	w.version.Store(v + 1)
	for i := range len(a) {
		w.values[i].Store(math.Float64bits(a[i]))
	}
	w.version.Store(v + 2)
}

// read reports whether a is all of one write.
func (w *words[A]) read() (a A, ok bool) {
	v := w.version.Load()
	for i := range len(a) {
		a[i] = math.Float64frombits(w.values[i].Load())
	}
	return a, v&1 == 0 && w.version.Load() == v
}

type (
	spotWords [9]float64
	earWords  [10]float64
)

func wordsOfSpot(s *space.Spot) spotWords {
	return spotWords{
		s.Position[0], s.Position[1], s.Position[2], s.Velocity[0], s.Velocity[1], s.Velocity[2], s.Forward[0], s.Forward[1], s.Forward[2],
	}
}

func (w *spotWords) spot() space.Spot {
	return space.Spot{Position: space.Vector(w[0:3]), Velocity: space.Vector(w[3:6]), Forward: space.Vector(w[6:9])}
}

func wordsOfEar(l *space.Ear) earWords {
	return earWords{
		l.Position[0], l.Position[1], l.Position[2], l.Velocity[0], l.Velocity[1], l.Velocity[2], l.Right[0], l.Right[1], l.Right[2], l.Waves,
	}
}

func (w *earWords) ear() space.Ear {
	return space.Ear{Position: space.Vector(w[0:3]), Velocity: space.Vector(w[3:6]), Right: space.Vector(w[6:9]), Waves: w[9]}
}

// SetPositions moves voices to spots, the first to the first, from the next
// frame that is mixed on, within 20 ms. Control side; it allocates nothing, never
// waits for the audio side and is never lost; what no block has seen yet is
// replaced. Voices that are gone, or were started without an Emitter, are passed
// over. Nothing is moved when it fails, with an error that wraps ErrOption.
func (m *Mixer) SetPositions(voices []Handle, spots []space.Spot) error {
	if len(voices) != len(spots) {
		return fmt.Errorf("%w: %d voices and %d places", ErrOption, len(voices), len(spots))
	}
	for i := range spots {
		if _, err := spots[i].Checked(); err != nil {
			return fmt.Errorf("%w: %w", ErrOption, err)
		}
		if voices[i].mixer != m && voices[i].mixer != nil {
			return fmt.Errorf("%w: voice %d is another mixer's", ErrOption, i)
		}
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for i, h := range voices {
		r := m.records.Get(h.id)
		if r == nil || h.mixer == nil || !r.placed {
			continue
		}
		s, _ := spots[i].Checked()
		r.spot.write(wordsOfSpot(&s))
		r.moved.Store(true)
		m.retunePlace(r, &s.Velocity)
	}
	m.pushPlaces()
	return nil
}

// SetListener moves who hears, from the next frame that is mixed on, within
// 20 ms. Control side; it allocates nothing and is never lost. The error wraps
// ErrOption.
func (m *Mixer) SetListener(l space.Listener) error {
	ear, err := l.Ear()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrOption, err)
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.retuneListener(&ear)
	m.listener.write(wordsOfEar(&ear))
	m.listenerMoved.Store(true)
	m.pushPlaces()
	return nil
}

// pushPlaces has the audio side look at places, unless it is going to after
// everything that was asked for. The mutex is held.
func (m *Mixer) pushPlaces() {
	if m.placesSent.Load() && m.placeSeq > m.otherSeq {
		return
	}
	m.placesSent.Store(true)
	if m.push(command{kind: cmdPlace, frame: Now}) != nil {
		m.placesWait.Store(true)
		return
	}
	m.placeSeq = m.seq
}
