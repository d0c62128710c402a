package mixer

// Engine has the methods of a Mixer that engines, players and tools need, and games rarely do: exact frames, batches,
// the journal, stems and rendering without a device. It is a small comparable value. Skip, Stems, LeftLoop and UntilEnd
// belong to the goroutine that calls Render. All other methods are control side and safe for concurrent use.
type Engine struct{ mixer *Mixer }

// Engine returns the Engine of the mixer. Safe for concurrent use.
func (m *Mixer) Engine() Engine { return Engine{m} }
