package mixer

import (
	"iter"

	"voicepool/internal/hearing"
	"voicepool/internal/ring"
	"voicepool/pool"
)

// maxRecords returns the maximum number of start records: enough for all voices, real or virtual, and for all
// commands under way. It counts two records for each real and each finite virtual voice, or more if endless voices
// need more. The result is also the number of finished starts that are remembered. Defaults in c must be filled in.
func (c *Config) maxRecords() int {
	voices := c.MaxVoices + c.Virtual
	return voices + max(voices, c.maxVirtualEndless) + c.Commands
}

// addRecords appends n empty records to the directory of all records. The directory is replaced by a larger copy,
// because the audio side may be reading the old one. The caller must also extend the pool of handles, as growRecords
// does. The caller holds m.mutex.
func (m *Mixer) addRecords(n int) {
	was, added := m.allRecords(), make([]record, n)
	all := append(make([]*record, 0, len(was)+n), was...)
	for i := range added {
		all = append(all, &added[i])
	}
	m.directory.Store(&all)
}

// growRecords makes room for more starts. It increases the number of records by half, by at least 8, but not beyond
// the maximum. It also enlarges the ring buffer that returns records of finished starts. At the maximum it has no
// effect. The caller holds m.mutex.
func (m *Mixer) growRecords() {
	was := m.records.Max()
	more := min(max(was/2, minRecords), m.maxRecords-was)
	if more <= 0 || m.records.Extend(was+more) != nil || m.records.SetLimit(was+more) != nil {
		return
	}
	ring.Grow(m.freed, was+more)
	m.addRecords(more)
}

// extraOf returns the extra data of r, which most starts do not need. On first use it allocates the data and stores
// it in r. The caller holds m.mutex.
func (m *Mixer) extraOf(r *record) *recordExtra {
	extra := r.extra.Load()
	if extra == nil {
		extra = m.extras.Next()
		r.extra.Store(extra)
	}
	return extra
}

// recordOf returns the record of the start with the handle id. It returns nil if id is zero, or if the record has
// been released and may belong to another start. The caller holds m.mutex.
func (m *Mixer) recordOf(id pool.Handle) *record {
	if p := m.records.Get(id); p != nil {
		return *p
	}
	return nil
}

// acquire returns a free record for a new start, and the handle of the record. frame is the frame of the start, or
// Now. It returns 0 and nil if too many commands are under way or all records are in use. It first releases records
// of finished starts, so that recently used records are reused while they are in a cache. If necessary it allocates
// more records. The caller holds m.mutex.
func (m *Mixer) acquire(frame int64) (pool.Handle, *record) {
	if m.inFlight.Len() >= m.capacity.Limit(frame == Now) {
		return 0, nil
	}
	m.releaseFinished()
	id, p, ok := m.records.Acquire()
	if !ok {
		for i := 0; i < 16 && m.releaseFinished(); i++ {
		}
		if id, p, ok = m.records.Acquire(); !ok {
			m.growRecords()
			if id, p, ok = m.records.Acquire(); !ok {
				return 0, nil
			}
		}
	}
	if *p == nil {
		*p = m.record(id)
	}
	return id, *p
}

// releaseFinished releases up to four records of finished starts, which the audio side has returned, for reuse. It
// keeps the state, number, tag and position of each start in m.finished. It reports whether it released any record.
// The caller holds m.mutex.
func (m *Mixer) releaseFinished() bool {
	var over [4]pool.Handle
	n := ring.PopMany(m.freed, over[:])
	for _, id := range over[:n] {
		r := m.record(id)
		x := m.finished.Add(id)
		x.State, x.Number, x.Tag, x.Position = uint8(r.status.State()), r.number.Load(), uint64(r.tag), r.position.Load()
		if r.isSpatial {
			r.spatial.Source = hearing.Source{} // releases references
		}
		m.records.Release(id)
	}
	return n > 0
}

// Voices iterates over the handles of all starts that are not over, including pending ones, in no order. The loop
// body may call any method of the mixer. Starts that begin or end during the loop may or may not appear. Control
// side. It does not allocate per voice.
func (m *Mixer) Voices() iter.Seq[Handle] {
	return func(yield func(Handle) bool) {
		for _, r := range m.allRecords() {
			id := r.id.Load()
			over, play := r.status.State().Over(), r.play.Load()
			if id == 0 || over || r.id.Load() != id { // otherwise the state may belong to the next start
				continue
			}
			if !yield(Handle{m, pool.Handle(id), play}) {
				return
			}
		}
	}
}

// setPlay moves the record r to the list of starts with the Options.Play play. id is the handle of the new start. With
// a play of 0 the record is in no list. It stores play in r. Call it before r gets its new handle. The caller holds
// m.mutex.
func (m *Mixer) setPlay(id pool.Handle, r *record, play uint64) {
	if r.play.Load() != play {
		r.play.Store(play)
	}
	m.playLists.Set(id.Slot(), play, len(m.allRecords()))
}

// forPlay calls the function do for each start with the Options.Play play that is not over, in the order of the
// requests. The arguments of do are the handle of the start, without its play, and its record. The caller holds
// m.mutex.
func (m *Mixer) forPlay(play uint64, do func(Handle, *record)) {
	for i := m.playLists.First(play); i >= 0; i = m.playLists.Next(i, play) {
		if r := m.allRecords()[i]; m.alive(r) {
			do(Handle{mixer: m, id: pool.Handle(r.id.Load())}, r)
		}
	}
}
