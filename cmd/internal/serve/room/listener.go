package room

import (
	"cmp"
	"context"
	"encoding/binary"
	"io"
	"slices"
	"sync"
	"time"

	"voicepool/bank/rules"
	"voicepool/internal/listening"
	"voicepool/internal/words"
	"voicepool/pcm"
)

// listenerBuffer is the capacity of a listener's buffer.
const listenerBuffer = 2 * time.Second

// Listen starts a listener, which receives the mix of the room as 16-bit stereo, and wakes a sleeping room. The
// parameter output is the name of an output of the sheet. If the sheet has no list of outputs, "master" is its only
// output. The empty name means the first output on a device, and otherwise the sum of all outputs, clipped.
//
// The caller must Close the listener. An unknown output is an *Error of Kind NotFound, an ended room is Kind Closed.
func (r *Room) Listen(output string) (*Listener, error) {
	l := &Listener{room: r, pair: -1, ready: make(chan struct{}, 1), limit: 4 * int(pcm.Frames(listenerBuffer, r.rate))}
	s := r.current().player.Sheet()
	switch {
	case output == "" && r.clock == nil, output == "master" && len(s.Outputs) == 0:
		l.pair = 0
	case output != "":
		names := words.Names(s.Outputs, func(o *rules.Output) string { return o.Name })
		if len(names) == 0 {
			names = []string{"master"}
		}
		i := slices.Index(names, output)
		if i < 0 {
			return nil, unknownName("output", output, names)
		}
		l.pair = (s.Outputs[i].Channel - 1) / 2
	}
	if err := r.listeners.add(l); err != nil {
		return nil, err
	}
	r.wake()
	return l, nil
}

// Listener receives the output of a room as 16-bit stereo.
type Listener struct {
	room  *Room
	pair  int // -1: the sum of all pairs
	limit int // in bytes
	ready chan struct{}

	latency int64            // frames between the mixer and its output, for meter
	meter   *listening.Meter // measures the sum of all outputs instead of buffering it; nil: buffers

	mutex    sync.Mutex // guards the fields below and the contents of meter
	buffer   []byte
	ended    error
	returned []byte // returned by the last Next
}

// Rate returns the sample rate in Hz.
func (l *Listener) Rate() int { return l.room.rate }

// Next waits until frames are buffered and returns all of them, as interleaved 16-bit little-endian samples. The slice
// is valid until the next call. Only one goroutine may call Next. If ctx ends first, Next returns the error of ctx.
//
// After the last frames, Next returns io.EOF: when the room has ended, the listener was closed, or a changed sheet
// lacks the output. If the caller was more than two seconds behind, Next returns ErrSlow instead of the buffered
// frames.
func (l *Listener) Next(ctx context.Context) ([]byte, error) {
	for {
		l.mutex.Lock()
		if len(l.buffer) > 0 && l.ended != ErrSlow {
			l.returned, l.buffer = l.buffer, l.returned[:0]
			l.mutex.Unlock()
			return l.returned, nil
		}
		err := l.ended
		l.mutex.Unlock()
		if err != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-l.ready:
		}
	}
}

// Close removes the listener from the room. Next then returns the buffered frames, and after them io.EOF.
func (l *Listener) Close() {
	l.room.listeners.remove(l)
	l.end(io.EOF)
}

// end makes Next return err. If err is ErrSlow, Next returns it at once; otherwise it first returns the buffered
// frames. Only the first call of end has an effect.
func (l *Listener) end(err error) {
	l.mutex.Lock()
	l.ended = cmp.Or(l.ended, err)
	l.mutex.Unlock()
	l.wake()
}

// wake makes a waiting Next look for frames and errors again. It does not wait.
func (l *Listener) wake() {
	select {
	case l.ready <- struct{}{}:
	default:
	}
}

// push converts the listener's output in block to 16 bits, appends it to the buffer and wakes Next. With a meter it
// measures the block instead. The parameter pairs is the number of stereo outputs that are interleaved in block, and
// frame is the number of its first frame in the mixer. If the buffer would exceed two seconds, push buffers no part of
// the block and returns false.
func (l *Listener) push(block []pcm.Frame, pairs int, frame int64) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.meter != nil {
		l.meter.WriteAt(frame-l.latency, block, pairs)
		return true
	}
	if len(l.buffer)+4*len(block)/pairs > l.limit {
		return false
	}
	for i := 0; i+pairs <= len(block); i += pairs {
		var f pcm.Frame
		if l.pair >= 0 {
			f = block[i+l.pair]
		} else {
			for _, one := range block[i : i+pairs] {
				f[0], f[1] = f[0]+one[0], f[1]+one[1]
			}
		}
		l.buffer = binary.LittleEndian.AppendUint16(l.buffer, uint16(sample(f[0])))
		l.buffer = binary.LittleEndian.AppendUint16(l.buffer, uint16(sample(f[1])))
	}
	l.wake()
	return true
}

// sample converts x, a sample with full scale 1, to 16 bits. It rounds to the nearest value and clips louder samples.
func sample(x float32) int16 {
	x = min(max(x*32768, -32768), 32767)
	if x < 0 {
		return int16(x - 0.5)
	}
	return int16(min(x+0.5, 32767))
}

// listeners holds the listeners of a room.
type listeners struct {
	mutex   sync.Mutex
	pairs   int // output pairs in a block
	all     []*Listener
	dropped int64
	closed  bool
}

// add adds the listener l. If the room has ended, it returns errClosed instead. If a change of the sheet has removed
// the output of l, it returns an *Error of Kind NotFound.
func (h *listeners) add(l *Listener) error {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	switch {
	case h.closed:
		return errClosed
	case l.pair >= h.pairs:
		return &Error{Kind: NotFound, Field: "output", Detail: "the changed sheet no longer has this output"}
	}
	h.all = append(h.all, l)
	return nil
}

// remove removes the listener l from the list. It does not end l. A listener that is not in the list is ignored.
func (h *listeners) remove(l *Listener) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.all = slices.DeleteFunc(h.all, func(one *Listener) bool { return one == l })
}

// empty reports whether no listener is left.
func (h *listeners) empty() bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return len(h.all) == 0
}

// broadcast passes block, with all output pairs interleaved, to all listeners. A listener with a full buffer is removed
// and counted as dropped, and its Next returns ErrSlow. frame is the number of the first frame of block in the mixer.
// broadcast does not wait for listeners.
func (h *listeners) broadcast(block []pcm.Frame, frame int64) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.all = slices.DeleteFunc(h.all, func(l *Listener) bool {
		slow := !l.push(block, h.pairs, frame)
		if slow {
			h.dropped++
			l.end(ErrSlow)
		}
		return slow
	})
}

// close removes and ends all listeners; their Next returns io.EOF after the buffered frames. New listeners are
// rejected.
func (h *listeners) close() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.closed = true
	for _, l := range h.all {
		l.end(io.EOF)
	}
	h.all = nil
}

// Listeners returns the number of current listeners. The result dropped counts the listeners since the beginning that
// were removed because they were too slow.
func (r *Room) Listeners() (now int, dropped int64) {
	r.listeners.mutex.Lock()
	defer r.listeners.mutex.Unlock()
	return len(r.listeners.all), r.listeners.dropped
}

// unknownName returns an *Error of Kind NotFound for a name that does not exist. The parameter what, such as "voice",
// is the kind of thing; it becomes Field and part of the message. If known has other names, the message suggests the
// nearest of them, however different it is.
func unknownName(what, name string, known []string) *Error {
	nearest := ""
	if i := slices.Index(known, name); i >= 0 { // the id of a voice that has ended
		known = slices.Delete(slices.Clone(known), i, i+1)
	}
	if len(known) > 0 {
		nearest = words.Nearest(name, known)
	}
	return notFound(what, name, nearest)
}
