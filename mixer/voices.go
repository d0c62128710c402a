package mixer

import (
	"iter"

	"voicepool/pool"
)

// Voices returns the starts that are not over, pending ones too, in no order.
// Control side; the loop's body may call anything, and what starts or ends
// meanwhile may be among them or not. It allocates nothing per voice.
func (m *Mixer) Voices() iter.Seq[Handle] {
	return func(yield func(Handle) bool) {
		for _, r := range m.allRecords {
			h := Handle{m, pool.Handle(r.id.Load())}
			if h.id == 0 {
				continue
			}
			if living, unlock := h.living(); living == nil {
				continue
			} else {
				unlock()
			}
			if !yield(h) {
				return
			}
		}
	}
}
