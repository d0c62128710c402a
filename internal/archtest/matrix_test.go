package archtest

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"voicepool/mixer"
)

// patience is the time after which the matrix reports a deadlock: far more than any call takes on a loaded
// machine.
const patience = 2 * time.Minute

// The states for each call.
const (
	waiting   = "while nothing is rendered"
	rendering = "while another goroutine renders"
	closed    = "after Close"
)

// matrix records the results of all calls.
type matrix struct {
	options  []option
	calls    []call
	does     map[string]func(*rig) error
	rigs     map[int]*rig // by rate: a rig whose sounds others share
	watchdog *time.Timer
	current  atomic.Pointer[string]

	good   map[string]map[choice]bool // by call: the values that were set when it succeeded
	errors map[string]error           // by call: the last error
	made   int
}

// TestOptionMatrix makes every exported call of the mixer and the bank with each pair of options, in each
// state. It fails if a call does not return, panics, or never succeeds with an option.
func TestOptionMatrix(t *testing.T) {
	options, rows := configRows(t)
	m := &matrix{options: options, does: functions(), good: map[string]map[choice]bool{}, errors: map[string]error{}, rigs: map[int]*rig{}}
	m.calls = exportedCalls(t, m.does)
	for name := range m.does {
		m.calls = append(m.calls, call{name: name})
	}
	slices.SortFunc(m.calls, func(a, b call) int { return strings.Compare(a.name, b.name) })
	for i, row := range rows {
		if err := m.watch(func() error { return m.row(i, row) }); err != nil {
			t.Fatalf("%v\nthe options are %s", err, describe(options, row))
		}
	}
	for _, c := range m.calls {
		if c.name == "mixer.Mixer.Close" {
			continue
		}
		var never []string
		for i, o := range options {
			for value := range o.values {
				if !m.good[c.name][choice{i, value}] {
					never = append(never, fmt.Sprintf("%s: %v", o, o.values[value]))
				}
			}
		}
		if len(never) > 0 {
			t.Errorf("%s never succeeds with %d values of mixer.Config, such as %s; the last error: %v", c.name, len(never), never[0], m.errors[c.name])
		}
	}
	t.Logf("%d configurations of %d options, %d calls, called %d times", len(rows), len(options), len(m.calls), m.made)
}

// watch returns the error of do, or an error if a call does not return.
func (m *matrix) watch(do func() error) error {
	stuck, done := make(chan struct{}), make(chan error, 1)
	m.watchdog = time.AfterFunc(patience, func() { close(stuck) })
	defer m.watchdog.Stop()
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-stuck:
		stacks := make([]byte, 1<<20)
		return fmt.Errorf("%s does not return\n%s", *m.current.Load(), stacks[:runtime.Stack(stacks, true)])
	}
}

// row makes all calls with a configuration.
func (m *matrix) row(number int, row []int) error {
	c := configOf(m.options, row)
	states := []string{waiting, rendering}
	if raceEnabled { // the first state uses one goroutine, so the race detector adds no information
		states = states[1:]
	}
	for _, state := range states {
		r, err := newRig(c, m.rigs)
		if err != nil {
			return err
		}
		for i, c := range m.calls {
			if c.name == "mixer.Mixer.Close" {
				continue
			}
			for target := range m.variants(c) {
				if r, err = m.readied(r, c); err != nil {
					return err
				}
				r.turn, r.target = number+i, target
				if err := m.call(r, c, row, state); err != nil {
					return err
				}
				r.clear()
			}
		}
		r.mixer.Close()
	}
	r, err := newRig(c, m.rigs)
	if err == nil {
		err = r.ready(true, true)
	}
	if err != nil {
		return err
	}
	r.mixer.Close()
	for i, c := range m.calls {
		for target := range m.variants(c) {
			if r.turn, r.target = number+i, target; c.audio {
				continue // rendering after Close is not allowed
			}
			if err := m.call(r, c, nil, closed); err != nil {
				return err
			}
		}
	}
	return nil
}

// variants returns how many times a call is made, each with another target.
func (m *matrix) variants(c call) int {
	if c.typ != nil {
		for i := range c.typ.Method(c.index).Type.NumIn() {
			if c.typ.Method(c.index).Type.In(i) == reflect.TypeFor[mixer.Target]() {
				return len((&rig{}).targets())
			}
		}
	}
	return 1
}

// readied returns r with playing voices or, if earlier calls prevent that, a new rig.
func (m *matrix) readied(r *rig, c call) (*rig, error) {
	targets := m.variants(c) > 1
	stream, play := targets || c.typ == reflect.TypeFor[*mixer.Handle](), targets || strings.HasPrefix(c.name, "bank.")
	if r.ready(stream, play) == nil {
		return r, nil
	}
	r.mixer.Close()
	r, err := newRig(r.config, m.rigs)
	if err != nil {
		return nil, err
	}
	return r, r.ready(stream, play)
}

// call makes a call in a state, and records whether it succeeded with the values of a row.
func (m *matrix) call(r *rig, c call, row []int, state string) error {
	m.made++
	m.current.Store(new(c.name + " " + state))
	m.watchdog.Reset(patience)
	var err error
	switch {
	case state != rendering:
		err = m.invoke(r, c)
	case c.audio:
		err = r.whileRendering(func() error { return m.invoke(r, c) }, func() error { return r.voice.SetPan(0.1) })
	default:
		err = r.whileRendering(nil, func() error { return m.invoke(r, c) })
	}
	if p, ok := err.(panicked); ok {
		return fmt.Errorf("%s %s: %w", c.name, state, p)
	}
	if err != nil {
		m.errors[c.name] = err
		return nil
	}
	if m.good[c.name] == nil {
		m.good[c.name] = map[choice]bool{}
	}
	for i := range row {
		m.good[c.name][choice{i, row[i]}] = true
	}
	return nil
}

// whileRendering calls control on this goroutine while another one renders and, between two blocks, calls
// audio. It returns the error of audio if it is not nil, otherwise the error of control.
func (r *rig) whileRendering(audio, control func() error) error {
	done := make(chan error)
	go func() {
		var err error
		r.render(2)
		if audio != nil {
			err = audio()
		}
		r.render(2)
		done <- err
	}()
	err := control()
	if failed := <-done; audio != nil {
		return failed
	}
	return err
}

// panicked is the error of a call that panics.
type panicked struct{ error }

// invoke makes a call with valid arguments and returns its error.
func (m *matrix) invoke(r *rig, c call) (err error) {
	defer func() {
		if x := recover(); x != nil {
			stack := make([]byte, 1<<14)
			err = panicked{fmt.Errorf("it panics: %v\n%s", x, stack[:runtime.Stack(stack, false)])}
		}
	}()
	if c.typ == nil {
		return m.does[c.name](r)
	}
	receivers := r.receivers(c.typ)
	if len(receivers) == 0 {
		return panicked{fmt.Errorf("rig.receivers has no %v to call it on: add one", c.typ)}
	}
	method := reflect.ValueOf(receivers[r.turn%len(receivers)]).Method(c.index)
	var in []reflect.Value
	for i := range method.Type().NumIn() {
		typ := method.Type().In(i)
		if method.Type().IsVariadic() && i == method.Type().NumIn()-1 {
			typ = typ.Elem()
		}
		x := any(nil)
		if typ == reflect.TypeFor[mixer.Target]() {
			x = r.targets()[r.target]
		} else if x = r.argument(c.name, typ); x == nil {
			return panicked{fmt.Errorf("rig.argument has no %v for it: add one", typ)}
		}
		in = append(in, reflect.ValueOf(x))
	}
	for _, out := range method.Call(in) {
		switch typ := out.Type(); {
		case typ == reflect.TypeFor[error]():
			err, _ = out.Interface().(error)
		case typ.Kind() == reflect.Func && typ.CanSeq():
			for range out.Seq() {
			}
		case typ.Kind() == reflect.Func && typ.CanSeq2():
			for range out.Seq2() {
			}
		}
	}
	if c.name == "mixer.Mixer.Sleep" {
		r.mixer.Wake(time.Now())
	}
	return err
}

// wave returns a WAV file of a tenth of a second.
func wave(rate int) []byte {
	frames := rate / 10
	out := append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, uint32(36+2*frames))...)
	out = append(out, "WAVEfmt "...)
	out = binary.LittleEndian.AppendUint32(out, 16)
	for _, x := range []uint16{1, 1, uint16(rate), uint16(rate >> 16), uint16(2 * rate), uint16(2 * rate >> 16), 2, 16} {
		out = binary.LittleEndian.AppendUint16(out, x)
	}
	out = binary.LittleEndian.AppendUint32(append(out, "data"...), uint32(2*frames))
	for i := range frames {
		out = binary.LittleEndian.AppendUint16(out, uint16(int16(8000*math.Sin(float64(i)/10))))
	}
	return out
}
