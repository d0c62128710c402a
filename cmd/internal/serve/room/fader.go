package room

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"voicepool/cmd/internal/show/showrun"
	"voicepool/internal/property"
	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/pcm"
)

// BusChange is a change of a bus. A nil field leaves its property unchanged.
type BusChange struct {
	Gain       *float64
	Volume     *float64
	LowPass    *float64 // in Hz; 0: off
	HighPass   *float64 // like LowPass
	Mute, Solo *bool
	Over       time.Duration
	Duck       *Duck // a Duck with By 0 turns the duck off
	Effects    Effects
	Sends      map[string]float64 // in dB, by destination bus
	When       Moment
}

// Duck configures the ducking of a bus.
type Duck struct {
	When    string        `json:"when"`
	By      float64       `json:"by"`              // dB
	Above   *float64      `json:"above,omitempty"` // in dB; nil: mixer.DuckAbove
	Attack  time.Duration `json:"attack"`
	Hold    time.Duration `json:"hold"`
	Release time.Duration `json:"release"`
}

// above returns the level in dB above which the duck acts: the field Above, or mixer.DuckAbove if Above is nil.
func (d *Duck) above() pcm.Decibels {
	if d.Above == nil {
		return mixer.DuckAbove
	}
	return pcm.Decibels(*d.Above)
}

// manualBuses records the bus settings made by hand, for snapshots, because the mixer does not report them.
type manualBuses struct {
	mutex     sync.Mutex
	solo      map[string]bool
	changed   map[string]bool               // buses changed by hand
	ducks     map[string]Duck               // ducks set by hand
	effects   map[string]Effects            // by bus
	sends     map[string]map[string]float64 // by bus and destination
	cutoffs   map[string]Cutoffs            // by bus
	scheduled []scheduledChange             // scheduled changes, by frame and then in order of request
	scene     string
}

// scheduledChange is a bus change that waits for a frame.
type scheduledChange struct {
	frame  int64
	bus    string
	change BusChange
}

// init makes the maps of d, which are empty. It must be called before the other methods.
func (d *manualBuses) init() {
	d.solo, d.changed, d.ducks = map[string]bool{}, map[string]bool{}, map[string]Duck{}
	d.effects, d.sends, d.cutoffs = map[string]Effects{}, map[string]map[string]float64{}, map[string]Cutoffs{}
}

// duckOf returns a copy of the duck that was set by hand on the bus called bus. It returns nil if no duck was set.
func (d *manualBuses) duckOf(bus string) *Duck {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if duck, ok := d.ducks[bus]; ok {
		return &duck
	}
	return nil
}

// changedBuses returns the sorted names of the buses that were changed by hand.
func (d *manualBuses) changedBuses() []string {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return slices.Sorted(maps.Keys(d.changed))
}

// check returns an *Error of Kind Range if a gain, a volume, a cutoff, a duck value, a duration or the time When of f
// is out of range. It does not check effects, sends or names of buses. It returns nil if f is valid.
func (f *BusChange) check() error {
	if f.Gain != nil {
		if err := checkRange("gain", *f.Gain); err != nil {
			return err
		}
	}
	if f.Volume != nil {
		if err := checkRange("volume", *f.Volume); err != nil {
			return err
		}
	}
	for _, err := range []error{checkFilter(property.LowPass, f.LowPass), checkFilter(property.HighPass, f.HighPass)} {
		if err != nil {
			return err
		}
	}
	if d := f.Duck; d != nil {
		if d.Above != nil {
			if err := checkRange("above", *d.Above); err != nil {
				return err
			}
		}
		for _, err := range []error{checkRange("by", d.By), checkDuration("duck.attack", d.Attack), checkDuration("duck.hold", d.Hold), checkDuration("duck.release", d.Release)} {
			if err != nil {
				return err
			}
		}
	}
	if err := checkDuration("over", f.Over); err != nil {
		return err
	}
	return f.When.check()
}

// apply sends all changes of f to the mixer, for the bus b at the moment at. Gain, volume, cutoffs, effects and sends
// move to their new values within the time f.Over. Mute, solo and duck do not use that time. apply stops at the first
// error and returns it; the changes that were sent before still act.
func (f *BusChange) apply(at mixer.Moment, b mixer.Bus) error {
	if f.Gain != nil {
		err := at.SetGain(mixer.TargetBus(b), pcm.Decibels(*f.Gain))
		if f.Over > 0 {
			err = at.Fade(mixer.TargetBus(b), pcm.Decibels(*f.Gain), f.Over)
		}
		if err != nil {
			return err
		}
	}
	if f.Volume != nil {
		if err := at.Set(mixer.TargetBus(b), mixer.Change{Fields: mixer.FieldVolume, Volume: pcm.Decibels(*f.Volume)}, f.Over); err != nil {
			return err
		}
	}
	if c := f.cutoffs(); c.Fields != 0 {
		if err := at.Set(mixer.TargetBus(b), c, f.Over); err != nil {
			return err
		}
	}
	var c mixer.Change
	if f.Mute != nil {
		c.Fields, c.Mute = c.Fields|mixer.FieldMute, *f.Mute
	}
	if f.Solo != nil {
		c.Fields, c.Solo = c.Fields|mixer.FieldSolo, *f.Solo
	}
	if c.Fields != 0 {
		if err := at.Set(mixer.TargetBus(b), c, 0); err != nil {
			return err
		}
	}
	if err := f.applyEffects(at, b); err != nil {
		return err
	}
	if d := f.Duck; d != nil && d.By > 0 {
		return at.SetDuck(b, mixer.Duck{When: d.When, By: pcm.Decibels(d.By), Above: d.above(), Attack: d.Attack, Hold: d.Hold, Release: d.Release})
	} else if d != nil {
		return at.SetDuck(b, mixer.Duck{})
	}
	return nil
}

// SetBus sends the changes of f to the bus called bus, which may be "master", and records them for snapshots. They act
// at the time f.When. A change for now acts after a scene that was requested before; a change of the volume alone acts
// at once, because no scene changes volumes. SetBus returns the present state
// of the bus, even if the changes act later.
//
// An unknown bus or effect is an *Error of Kind NotFound. A value out of range is an *Error of Kind Range, an ended
// room is Kind Closed. After an error, the changes that apply sent before it may act, but are not recorded.
func (r *Room) SetBus(bus string, f BusChange) (Bus, error) {
	if err := f.check(); err != nil {
		return Bus{}, err
	}
	b, err := r.targetBus(bus, &f)
	if err != nil {
		return Bus{}, err
	}
	r.orders.Lock()
	defer r.orders.Unlock()
	frame, later := int64(0), false
	err = r.execute(func() error {
		frame, later = r.frame(&f.When)
		st, at := r.current(), frame
		if scened := st.sceneFrame.Load(); at == mixer.Now && f.changesScene() && scened > st.player.Mixer().Engine().Next() {
			at = scened // after a scene that was requested earlier
		}
		return f.apply(st.player.Mixer().Engine().At(at), b)
	})
	if err != nil {
		return Bus{}, err
	}
	r.recordBusChange(bus, &f, frame, later)
	return r.bus(bus), nil
}

// targetBus returns the mixer's bus called bus and checks whether the change f may refer to it. Both "master" and the
// name of the first output give the master. targetBus does not change the bus. An unknown bus is an *Error of Kind
// NotFound.
//
// If f turns a duck on, its trigger is the bus f.Duck.When. An unknown trigger is also of Kind NotFound. The bus itself
// or the trigger "master" is of Kind Range.
func (r *Room) targetBus(bus string, f *BusChange) (mixer.Bus, error) {
	m, s := r.current().player.Mixer(), r.Sheet()
	b, err := m.Bus(bus)
	if err != nil {
		return b, unknownName("bus", bus, showrun.BusNames(s))
	}
	if f.Duck != nil && f.Duck.By > 0 {
		switch f.Duck.When {
		case bus:
			return b, invalidField("duck.when", "%q is the bus itself; name another bus", words.OneLine(bus))
		case "master":
			return b, invalidField("duck.when", "the master is never silent while a sound plays; name another bus")
		}
		if _, err := m.Bus(f.Duck.When); err != nil {
			return b, unknownName("bus", f.Duck.When, showrun.BusNames(s))
		}
	}
	return b, nil
}

// recordBusChange records f, a change made by hand that was sent to the mixer for the bus called bus. later means that
// the change acts at frame, which is still to come; it is then recorded when the mixer has reached that frame.
// Otherwise frame is ignored. recordBusChange first records earlier changes that have become due.
func (r *Room) recordBusChange(bus string, f *BusChange, frame int64, later bool) {
	r.recordReached()
	if later {
		r.manualBuses.schedule(scheduledChange{frame, bus, *f})
		return
	}
	r.recordNow(bus, f)
}

// recordNow records f, a change of the bus called bus that acts now: in the fader state and, for a mute, in the show.
// It sends the mixer no command.
func (r *Room) recordNow(bus string, f *BusChange) {
	r.manualBuses.record(bus, f)
	if f.Mute != nil {
		r.Show().SetMuted(bus, *f.Mute)
	}
}

// recordReached records each scheduled bus change whose frame the mixer has reached, as recordNow does, and removes it
// from the scheduled changes.
func (r *Room) recordReached() {
	for _, one := range r.manualBuses.popReached(r.current().player.Mixer().Now()) {
		r.recordNow(one.bus, &one.change)
	}
}

// schedule keeps the scheduled bus change one, after the others up to its frame, until popReached returns it.
func (d *manualBuses) schedule(one scheduledChange) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	at, _ := slices.BinarySearchFunc(d.scheduled, one.frame+1, func(l scheduledChange, frame int64) int { return cmp.Compare(l.frame, frame) })
	d.scheduled = slices.Insert(d.scheduled, at, one)
}

// popReached removes and returns the scheduled bus changes up to frame, inclusive, by frame and then in order of
// request.
func (d *manualBuses) popReached(frame int64) []scheduledChange {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	n := 0
	for n < len(d.scheduled) && d.scheduled[n].frame <= frame {
		n++
	}
	reached := slices.Clone(d.scheduled[:n])
	d.scheduled = slices.Delete(d.scheduled, 0, n)
	return reached
}

// clearScheduled drops the scheduled bus changes. The room calls it when it has replaced the mixer that they were sent
// to.
func (d *manualBuses) clearScheduled() {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.scheduled = nil
}

// changesScene reports whether f changes anything that a scene may set: any property except the volume.
func (f *BusChange) changesScene() bool {
	return f.Gain != nil || f.Mute != nil || f.Solo != nil || f.Duck != nil || len(f.Effects) > 0 || len(f.Sends) > 0 || f.cutoffs().Fields != 0
}

// record records the solo, duck, effects, sends and cutoffs of f as set by hand on the bus called bus, and marks that
// bus as changed, unless f has only a volume. Nil fields leave the recorded values unchanged.
func (d *manualBuses) record(bus string, f *BusChange) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if f.changesScene() {
		d.changed[bus] = true // the volume alone does not keep the gain from following the sheet
	}
	if f.Solo != nil {
		d.solo[bus] = *f.Solo
	}
	if f.Duck != nil {
		d.ducks[bus] = *f.Duck
	}
	d.recordEffects(bus, f)
	d.recordCutoffs(bus, f)
}

// bus returns the current state of the bus called name. Gain, Volume, Peak and Reduction are in dB, rounded to tenths;
// the first three are at least -120. For an unknown bus, only the name is set. For a known bus, the method first
// records scheduled bus changes whose frames are reached.
func (r *Room) bus(name string) Bus {
	b, err := r.current().player.Mixer().Bus(name)
	if err != nil {
		return Bus{Bus: name}
	}
	r.recordReached()
	muted := r.Show().IsMuted(name)
	r.manualBuses.mutex.Lock()
	defer r.manualBuses.mutex.Unlock()
	s := r.Sheet()
	return Bus{
		Bus: name, Parent: s.Parents()[name], Gain: tenth(max(float64(b.Gain()), silence)), Volume: tenth(max(float64(b.Volume()), silence)), Mute: muted, Solo: r.manualBuses.solo[name],
		Peak: tenth(max(float64(b.Levels().Peak), silence)), Effects: showrun.BusEffects(b), Reduction: tenth(float64(b.Reduction())),
	}
}
